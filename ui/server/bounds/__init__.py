"""How much of the server one party gets."""
