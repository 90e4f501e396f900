"""What operators see and do from any machine; only the arena's shell gives an owner the role."""
