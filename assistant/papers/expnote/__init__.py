"""ExpNote: lessons that a model draws from cases, and finds again for later questions (Sun et al., 2024)."""
