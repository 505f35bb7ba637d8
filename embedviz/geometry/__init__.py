"""The geometry of a space: isotropy, corrections, compression, clusters, outliers, comparison with other spaces."""
