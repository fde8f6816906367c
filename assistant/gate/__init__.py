"""The gate: decides for each entry that was found to use, offer or skip it."""
