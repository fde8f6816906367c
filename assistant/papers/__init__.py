"""One folder per paper; each module names the sections whose steps it has."""
