"""The Memory page: the list of entries."""
