"""Core types, and functions that every other package needs; independent of methods and file formats."""
