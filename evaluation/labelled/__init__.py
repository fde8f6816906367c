"""Labelled sets: put each line to the app and count the results."""
