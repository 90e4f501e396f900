"""Programs of `benchmarks.learn`: the pure rules beside batches, and other platforms."""
