"""`arena test`: whether a new version is better, tested until the answer is clear."""
