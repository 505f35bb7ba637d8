"""The command line as `python -m embedviz.cli`."""

from embedviz.cli import main

if __name__ == "__main__":
    main()
