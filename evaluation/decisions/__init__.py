"""Retrieval and gate, measured: which entries are found, offered and used for which questions."""
