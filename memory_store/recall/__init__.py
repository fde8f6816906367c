"""From a question to candidates: query, hits, candidates with their features."""
