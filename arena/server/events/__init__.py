"""Events: entries, the freeze of their builds, finals that are blind, and their archives."""
