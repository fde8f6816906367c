"""The fact sheet: what can be asked of the triples of facts."""
