"""Prompts: files, examples, and the envelope around remembered text."""
