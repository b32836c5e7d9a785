"""The web application that parses texts: pages, an interface for programs, limits. It needs the extra `serve`.

Not here: the command (`cli.serve`), pictures (`drawing`).
"""
