"""Who may enter: with a name and a password, or with the token of this machine."""
