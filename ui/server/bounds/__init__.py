"""How much of the server one party gets: connections, requests, and who counts as one."""
