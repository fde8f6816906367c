"""What memory and models both know of words: the lexicon, and which word a question asks about."""
