"""The calls of operators, from any machine; only the arena's shell gives an owner the role."""
