"""Maintenance: erasing, retention, backups and integrity checks."""
