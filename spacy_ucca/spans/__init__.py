"""The span parser: labeled spans scored from their ends, put together to trees, remote edges between their units.

What turns graphs into trees of spans and back is `conversion/constituency.py`'s; the component is `span_parser.py`'s.
"""
