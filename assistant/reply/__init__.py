"""A model's reply, taken apart while it streams."""
