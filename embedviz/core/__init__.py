"""Core types and what every other room needs; knows no method and no file format."""
