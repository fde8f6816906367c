"""The retriever: find candidates in the index, score them by vectors and character n-grams."""
