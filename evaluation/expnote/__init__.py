"""Lessons from cases: the experiments of ExpNote (Sun et al., 2024, section 4), through the whole app."""
