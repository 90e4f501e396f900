"""What tells open pages that something is new, and how many streams a visitor may hold for it."""
