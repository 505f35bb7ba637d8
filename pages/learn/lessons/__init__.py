"""The lessons, one file each. `LESSONS` in `table.py` lists them."""
