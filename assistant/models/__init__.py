"""The models that answer: remote, local and embedded."""
