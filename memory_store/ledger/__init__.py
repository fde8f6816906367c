"""The ledger: durable rows of entries, turns and events; write, read, follow and erase them."""
