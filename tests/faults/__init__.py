"""What is left after a process was killed, a disk was full, or two wrote at once."""
