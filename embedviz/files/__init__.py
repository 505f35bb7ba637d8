"""The one door for what comes from outside: bounded sources, archives, encodings."""
