"""The registry's reading calls, answered outside the event loop in a process or thread."""
