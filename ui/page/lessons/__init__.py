"""Lessons that were drafted of what people said of answers: kept, changed and dropped in the card, and in Memory."""
