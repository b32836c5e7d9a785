"""`python -m spacy_ucca` is the command line `spacy-ucca`."""

from spacy_ucca.cli import main

if __name__ == "__main__":
    main()
