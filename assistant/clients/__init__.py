"""Chats that programs keep, compared with the stored turns."""
