"""Corrections and reactions to an answer: detect, save and learn from them."""
