"""The databases of the ledger: its tables, their migrations, and what is SQLite's and PostgreSQL's own."""
