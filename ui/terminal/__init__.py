"""The command line, and the chat in a terminal."""
