"""How much of the server one party gets: connections, and who counts as one."""
