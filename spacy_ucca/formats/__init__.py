"""File formats of UCCA graphs: one module per format, `read_x` beside `write_x`."""
