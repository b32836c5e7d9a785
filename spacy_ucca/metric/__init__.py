"""What the UCCA metric needs: counts of matches, and normalization of graphs before scoring."""
