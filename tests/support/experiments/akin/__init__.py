"""A small experiment in a folder of its own: once it is said what is meant, then asked on in silence."""
