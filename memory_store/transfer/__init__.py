"""Export, import, and the seed of a host."""
