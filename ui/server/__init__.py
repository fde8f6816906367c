"""Policy of the server: identity, sessions, Origin checks, rate limits, fair queue and health check."""
