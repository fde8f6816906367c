"""How good decisions are: which entries are found, offered and used for which questions."""
