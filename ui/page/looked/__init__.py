"""What the model looked up while it answered, in the card: a small mark, with what was found behind it."""
