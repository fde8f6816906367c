"""TeachMe: facts that users tell, and reasons that they can correct. After Dalvi et al., 2022 (arXiv:2204.13074).

Section 3.1, Answering Questions: `thinking`; 3.2, Interaction: `teaching`; 3.3, Dynamic Memory: `facts`.
"""
