"""Child processes: how they start, what they see, and how they end."""
