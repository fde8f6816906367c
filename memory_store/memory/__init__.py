"""The port `Memory` over the ledger: saving, finding and changing entries, and the keys that models write."""
