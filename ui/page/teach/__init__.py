"""The tab Teach: facts, texts, practice, study questions, imports, and what models suggest."""
