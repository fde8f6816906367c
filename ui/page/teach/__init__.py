"""What one teaches the assistant from a text or a file: reading, study questions, practice."""
