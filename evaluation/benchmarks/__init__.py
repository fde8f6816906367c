"""The questions of benchmarks: two public data sets, and ways to ask for a word."""
