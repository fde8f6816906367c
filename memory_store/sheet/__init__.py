"""The fact sheet: look up triples of facts."""
