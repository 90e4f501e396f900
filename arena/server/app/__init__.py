"""A running referee: the assembly of its services, their start and their stop."""
