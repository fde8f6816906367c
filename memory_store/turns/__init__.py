"""Turns, the conversations that they make up, what they cost, and what they tell in numbers."""
