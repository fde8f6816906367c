"""How the model is asked for one answer."""
