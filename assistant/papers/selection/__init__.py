"""Selecting the best of several samples by scores. After Yuan et al., 2023 (Selecting Better Samples)."""
