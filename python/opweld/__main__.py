"""`python -m opweld` is the command `opweld`."""

from opweld.cli import main

if __name__ == "__main__":
    main()
