"""Selection of samples, measured: questions for a text and its answer, and further keys."""
