"""The fact sheet, on the page Memory: what is told of which things, as a table."""
