"""What is kept and what goes: erasing, retention, backups, and checks of everything kept."""
