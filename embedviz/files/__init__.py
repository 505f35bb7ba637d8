"""Reading files from outside the program, within limits: sources, archives, encodings, addresses."""
