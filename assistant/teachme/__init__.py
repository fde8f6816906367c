"""Facts that people tell, and reasons that they can put right (TeachMe)."""
