"""The models that answer: remote ones, the embedded one, and a scripted one for tests."""
