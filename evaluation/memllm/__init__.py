"""The fact sheet, measured: reading, editing and growth (MemLLM, sections 4.2 and 4.3)."""
