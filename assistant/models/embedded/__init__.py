"""The embedded model: words, letters and what it was told, for where no language model is connected."""
