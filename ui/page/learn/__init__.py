"""A text read sentence by sentence, on the page Memory: what would be kept of it, and what is."""
