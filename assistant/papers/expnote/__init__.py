"""ExpNote: a model notes lessons from cases, and finds them for later questions (Sun et al., 2024)."""
