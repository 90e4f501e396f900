"""The reading calls of the registry, answered beside play: in a process or thread of its own."""
