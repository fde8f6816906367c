"""What people offer to everyone, and the copies that count for everyone while a curator agrees."""
