"""Text of users: remove invisible characters, reject secrets and other content that no entry may hold."""
