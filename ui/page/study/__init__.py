"""Study questions on the page Memory: made of a text, looked at, and handed to practice."""
