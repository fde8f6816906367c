"""What is said: texts in three languages, sentences of the server in them, and markup with formulas."""
