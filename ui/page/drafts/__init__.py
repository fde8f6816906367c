"""Several ways to answer a question, in its card: the best is the answer, the others are behind one gesture."""
