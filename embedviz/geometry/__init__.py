"""The geometry of a space: isotropy, corrections, comparison with other spaces, clusters, separation."""
