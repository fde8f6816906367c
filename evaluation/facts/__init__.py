"""Facts: whether the right ones are found for a question, and which of them a model is shown."""
