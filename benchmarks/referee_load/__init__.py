"""Programs for the referee's benchmark: an echo server to compare with, and playing clients."""
