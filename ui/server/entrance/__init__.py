"""The page for signing in with a name and a password."""
