"""What is kept and what goes: erasing, retention, backups, snapshots, and checks of everything kept."""
