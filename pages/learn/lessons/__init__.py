"""The lessons, one file each; the table of them is `LESSONS` in `table`."""
