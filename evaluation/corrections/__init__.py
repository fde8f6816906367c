"""What becomes of corrections: for which later questions they count, and what takes the place of what."""
