"""The sample bots: each file is a complete program."""
