"""Taking a memory along: exports, imports, and the seed that a host lays down."""
