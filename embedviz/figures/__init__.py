"""Figures: results in, a picture out; nothing is computed here."""
