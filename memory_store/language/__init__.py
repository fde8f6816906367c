"""Normalise texts across spellings, scripts and languages; compare ways of asking."""
