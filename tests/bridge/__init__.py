"""The bridge: lines, schemas, programs that fail."""
