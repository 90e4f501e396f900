"""Who meets whom: pure functions, without I/O and without chance of their own."""
