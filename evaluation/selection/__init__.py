"""Which of several questions belongs to a text and its answer: scorers and their ensembles, without a model."""
