"""What a fact sheet is worth: reading it, editing it, and how it grows (MemLLM, sections 4.2 and 4.3)."""
