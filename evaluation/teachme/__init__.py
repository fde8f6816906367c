"""Told facts, measured: simulated teachers, and questions written by strangers."""
