"""Plain values that the store makes and people are shown: lists, receipts, numbers."""
