"""What a message told, in its card: noted as a fact, with undo, beside what was told otherwise before."""
