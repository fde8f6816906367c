"""What stands between the network and the page: who somebody is, what is open, health, sessions, language."""
