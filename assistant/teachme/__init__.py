"""TeachMe: reasons that can be put right, and facts that stay (Dalvi Mishra, Tafjord and Clark 2022)."""
