"""From a question to candidates: what the index finds, scored by meaning and by letters."""
