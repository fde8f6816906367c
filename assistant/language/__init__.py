"""The lexicon, and the word that a question asks about; shared by memory and models."""
