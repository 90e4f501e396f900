"""Tests of the operators' room."""
