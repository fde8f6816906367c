"""Streaming of answers: admission control, batching, stopping and reconnecting."""
