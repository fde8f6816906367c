"""Ways of asking: the slot of a question, its frame, and how two of them go together."""
