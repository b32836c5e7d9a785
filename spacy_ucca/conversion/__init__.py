"""UCCA graphs as structures of other kinds, and back: lossy, each module says what is lost."""
