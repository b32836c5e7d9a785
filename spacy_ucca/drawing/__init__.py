"""Pictures of graphs: SVG, trees of text, HTML pages, comparisons of two graphs.

Not here: the page in which a browser parses (`serve`).
"""
