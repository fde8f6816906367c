"""Values that listings, receipts and reports return."""
