"""The header of the page, and models that users connect to one open page."""
