"""`python -m simbackup` is the program."""

from simbackup.cli import main

if __name__ == "__main__":
    main()
