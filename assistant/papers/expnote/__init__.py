"""ExpNote: a model notes lessons from cases, and finds them for later questions (Sun et al., 2024).

- `noting`: NOTE, a lesson from a case (section 3.1, equation 2; section 3.2).
- `retrieval`: RECALL, the lessons for a question (section 3.1, equation 3; section 3.2 and appendix B).
- `feedback`: what users say of answers, as the feedback of section 3.1; `drafts` and `keeping` have what is drafted.
- `practice`: the training and testing stages on a file of exercises (section 3.1).
- `exercises`: reads that file, and gives the results of sections 4.3 and 4.4.
"""
