"""Calls of the chat model for one answer."""
