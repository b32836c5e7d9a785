"""HTML pages: what they are made of (`template`), and the comparison of graphs. Texts and styles are files here."""
