"""Answers that are being written: how they begin, are handed on at a steady pace, and are stopped."""
