"""Why?, below an answer: what it rests on, with what can be said of each reason."""
