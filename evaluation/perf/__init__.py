"""What Noted costs: a question, a save, a restart, a start, the page with many readers, and prompts."""
