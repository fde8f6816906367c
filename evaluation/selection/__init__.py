"""Samples scored without a model: which question belongs to a text and its answer, which further keys are kept."""
