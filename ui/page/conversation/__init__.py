"""The conversation: a card for each turn, what a person does with it, and what is shown of it."""
