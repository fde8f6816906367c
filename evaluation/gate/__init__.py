"""Fitting the gate: data, regression, and calibration per kind of evidence."""
