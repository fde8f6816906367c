"""The tokens with which programs speak for a person."""
