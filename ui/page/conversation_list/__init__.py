"""The list of conversations, to open, search, rename and erase."""
