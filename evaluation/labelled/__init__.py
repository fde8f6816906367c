"""Labelled sets: lines that people wrote and marked, each put to the app, and what comes of it counted."""
