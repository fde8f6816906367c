"""Sign-in with passwords, and the access token of a loopback server."""
