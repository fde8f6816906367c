"""What a message tells of two things each, proposed in its card: keep, drop, change."""
