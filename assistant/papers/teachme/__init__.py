"""TeachMe: facts that users tell, and reasons that can be put right. After Dalvi et al., 2022 (arXiv:2204.13074).

Section 3.1, Answering Questions: `thinking` (Algorithm 1); `reasons` asks for those of an answer given in one call.
Section 3.2, Interaction: `teaching` (figure 3).
Section 3.3, Dynamic Memory: `facts` keeps what users tell, `retrieval` finds it.
"""
