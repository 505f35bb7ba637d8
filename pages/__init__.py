"""The pages of the program: each draws controls, calls the library, and shows the result in figures and sentences."""
