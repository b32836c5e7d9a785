"""Who bought what, with Polars, in the table of `spacy-ucca parse TEXTS -m en_ucca_sm --predications facts.parquet`."""

import polars as pl

facts = pl.read_parquet("facts.parquet")
bought = facts.filter((pl.col("lemma") == "buy") & ~pl.col("negated"))
print(bought.select("id", who="subject", what="object").rows())
