"""What is remembered, and how it is found. The only folder that imports LanceDB, SQLAlchemy and the embedders."""
