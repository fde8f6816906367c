"""Simple sentences, and what follows from them: reads, chains and finds facts without a language model."""
