"""The sample bots: each file is a program and complete in itself."""
