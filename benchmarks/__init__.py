"""What the project's figures of speed come from; each file runs by itself and prints ratios."""
