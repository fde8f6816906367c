"""Models behind a server. The only package that imports litellm or openai."""
