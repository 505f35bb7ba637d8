"""What all lessons share: their order, the question with its check, the progress, vectors that are dragged."""
