"""Reasoning over simple sentences without a language model: read facts, chain and query them."""
