"""How good decisions are: which entries are found, offered and used, on files, public data and ways of asking."""
