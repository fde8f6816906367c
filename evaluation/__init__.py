"""Measurements of Noted, from outside, with one harness: see README.md.

The app is measured as `app.py` composes it; none of its rules is written a second time here.
"""
