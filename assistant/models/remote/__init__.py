"""Models behind a server. The only room that imports litellm or openai."""
