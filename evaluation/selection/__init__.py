"""Selecting samples, without a model: which question belongs to a text and its answer, and which keys are kept."""
