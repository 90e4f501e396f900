"""`arena test`: a sequential test of whether a new version is better."""
