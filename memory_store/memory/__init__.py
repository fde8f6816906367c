"""The port `Memory` over the ledger: save, find and change entries and their keys."""
