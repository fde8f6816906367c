"""One embedder in the place of another: which index serves, the table that is made meanwhile, and what goes then."""
