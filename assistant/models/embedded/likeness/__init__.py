"""How alike texts are, and of which label a text is by what it is alike to."""
