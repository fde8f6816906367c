"""Streaming parser of a model's reply: understanding, answer, notes used, and tags."""
