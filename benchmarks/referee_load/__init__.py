"""The two sides of the referee's benchmark: an echo to compare with, and clients that play."""
