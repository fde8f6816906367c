"""Export, import, and the seed: a file of entries that a host shares with everyone."""
