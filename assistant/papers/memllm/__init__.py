"""MemLLM: a sheet of facts that a model reads and writes. After Modarressi et al., 2024 (arXiv:2404.11672)."""
