"""Lessons as the embedded model has them: what they say, where they apply, and which one explains a case."""
