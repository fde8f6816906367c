"""The models that answer: remote ones, and the embedded one."""
