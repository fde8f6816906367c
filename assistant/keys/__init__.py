"""Further keys: texts, written by a model in the background, under which an entry can be found."""
