"""What memory and models both know of words: the lexicon, and where a person repeats their question."""
