"""`sdp_parser`: parsing to bilexical graphs (`doc._.sdp`), its models, losses, metric, data and scorer.

Not here: UCCA as bilexical graphs (`conversion`), UCCA graphs of what it predicts (`by_conversion`).
"""
