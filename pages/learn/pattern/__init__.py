"""What all lessons share: their layout, exercises, progress, sliders, vectors to drag, and plans for teachers."""
