"""Trying a question: what of memory it would get."""
