"""Embedders: turn texts into vectors."""
