"""The model that needs no network: it follows the examples of the prompt, with a lexicon."""
