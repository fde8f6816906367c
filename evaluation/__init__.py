"""Measurements of Noted, from outside: `python -m evaluation --help`.

What is measured is the app as `app.py` puts it together: its store, its recall, its gate, its loop. Nothing of them is
done a second time here.
"""
