"""Text for users: strings in three languages, messages of the server, and safe markup with formulas."""
