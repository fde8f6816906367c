"""Sharing: offers of users, and the copies that curators accept for everyone."""
