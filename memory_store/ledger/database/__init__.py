"""Databases of the ledger: tables, migrations, and the SQLite and PostgreSQL specifics."""
