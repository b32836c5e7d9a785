"""What UCCA allows: checking a graph, repairing it, choosing labels that keep the rules, linkage.

Not here: the invariants of any graph (`graph`), which rules a parser's tree may break (`parser.screen`).
"""
