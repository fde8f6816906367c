"""The durable record of every entry, turn and event, and how its rows are written, read, followed and erased."""
