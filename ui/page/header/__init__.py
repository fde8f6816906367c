"""A model that a person brings, for one page that is open."""
