"""The shape of a space: isotropy, corrections, comparison, clusters, separation."""
