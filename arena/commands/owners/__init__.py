"""The commands of owners, and those of the operator about owners."""
