"""Test vectors for bots in any language: draws, whole matches, and turns with good answers."""
