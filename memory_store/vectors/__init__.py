"""The LanceDB index: one row per key with its vector, kept in step with the ledger."""
