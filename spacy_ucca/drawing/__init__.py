"""What pictures are made of: the text tree, where units stand, how curves run."""
