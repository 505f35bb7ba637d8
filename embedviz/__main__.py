"""The command line as `python -m embedviz`."""

from embedviz.cli import main

if __name__ == "__main__":
    main()
