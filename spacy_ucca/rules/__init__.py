"""What UCCA allows: the table of rules (`grammar`), checks of graphs, repair, labels that follow the rules, linkage.

Not here: the invariants of any graph (`graph`), the checks of a whole batch of parser states (`parser.screen`).
"""
