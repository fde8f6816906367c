"""TeachMe: facts that users tell, and reasons that they can correct. After Dalvi et al., 2022 (arXiv:2204.13074)."""
