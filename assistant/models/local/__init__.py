"""Models that run in this process, by llama.cpp: GGUF files, and their download from a hub."""
