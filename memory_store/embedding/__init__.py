"""The models that turn texts into vectors."""
