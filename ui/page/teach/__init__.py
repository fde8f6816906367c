"""Event handlers of the tab Teach: facts, texts, practice, study questions, imports and suggestions."""
