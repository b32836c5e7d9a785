"""Thinc layers of our own, each tested against finite differences."""
