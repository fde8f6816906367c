"""Papers that Noted implements, each a package of plain modules that name the sections they follow."""
