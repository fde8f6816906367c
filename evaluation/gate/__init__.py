"""The gate, fitted: the data, the regression, and one calibration per kind of evidence."""
