"""The Memory page: the list of entries, and files that are brought in."""
