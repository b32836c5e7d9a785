"""The page of `spacy-ucca serve`: the HTTP server and its HTML.

Not here: the command (`cli.serve`), pictures (`drawing`).
"""
