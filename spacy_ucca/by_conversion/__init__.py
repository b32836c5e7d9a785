"""Components that make UCCA graphs of what another parser predicts: dependency trees or bilexical graphs.

Not here: the conversions themselves (`conversion`, `tokens.dependencies`).
"""
