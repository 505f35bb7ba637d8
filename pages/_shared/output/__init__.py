"""What a page shows: figures, tables, lists of words, and the export row."""
