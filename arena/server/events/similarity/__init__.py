"""Programs of an event that resemble each other, or lose to each other."""
