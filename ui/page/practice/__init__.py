"""Practice on the page Memory: the model learns from questions with their answers, and shows what that was worth."""
