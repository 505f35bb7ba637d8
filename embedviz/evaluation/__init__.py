"""What test sets say about a space, each number with its coverage, interval and baseline."""
