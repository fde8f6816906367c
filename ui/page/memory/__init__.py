"""The Memory page: list, search, change and erase entries."""
