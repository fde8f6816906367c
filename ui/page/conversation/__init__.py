"""The conversation: event handlers, and views of turns and entries."""
