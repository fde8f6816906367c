"""The texts of active entries as vectors in LanceDB: what they are, where they lie, and how they follow the ledger."""
