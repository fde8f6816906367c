"""What the embedded model makes of wordings that nobody of those who made it has written."""
