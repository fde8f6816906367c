"""The embedded model: answers about words, letters and told facts where no language model is connected."""
