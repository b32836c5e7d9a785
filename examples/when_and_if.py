"""What happened when, and under which condition, with pandas, in the table of
`spacy-ucca parse TEXTS -m en_ucca_sm --predications facts.parquet`."""

import pandas as pd

facts = pd.read_parquet("facts.parquet")
facts = facts[facts.is_clause]
facts["times"] = facts.times.map(list)
facts["conditions"] = [[f"{each['linker']} {each['text']}" for each in c] for c in facts.conditions]
facts = facts[facts.times.astype(bool) | facts.conditions.astype(bool)]
print(facts[["id", "relation", "times", "conditions"]].to_numpy().tolist())
