"""Storage and retrieval of entries. The only package that imports LanceDB, SQLAlchemy and the embedders."""
