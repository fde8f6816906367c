"""Plain values for lists, receipts and numbers."""
