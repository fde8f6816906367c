"""Measurements of Noted, from outside, with one harness: see README.md.

The app is measured as `app.py` composes it; no rule of the app is repeated here.
"""
