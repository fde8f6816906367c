"""Sentences and triples: what a sentence says of two things, and a triple as a sentence that can be chained."""
