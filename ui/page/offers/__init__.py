"""What curators decide about."""
