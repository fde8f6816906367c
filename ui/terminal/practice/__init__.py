"""Questions with their answers from the command line: made of a text, and practised on."""
