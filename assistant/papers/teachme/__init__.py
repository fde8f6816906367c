"""TeachMe: facts that people tell, and reasons that can be put right. After Dalvi et al., 2022 (arXiv:2204.13074)."""
