"""The turn store: turns, conversations, token usage and insights."""
