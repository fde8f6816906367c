"""The gate: whether an entry that was found is used, offered or left out."""
