"""Performance: questions, saves, restarts, start-up, streaming to many readers, and prompt sizes."""
