"""Events: entries, the freeze, finals and their archives."""
