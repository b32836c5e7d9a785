-- Who did what to whom, when, where and on which condition; for DuckDB. The table is made by
-- spacy-ucca parse TEXTS -m en_ucca_sm -o parsed.parquet --predications facts.parquet
SELECT id, subject AS who, relation AS what, object AS whom, others, times AS "when", places AS "where",
    [concat(each.linker, ' ', each.text) for each in conditions] AS condition, negated
FROM 'facts.parquet' WHERE is_clause ORDER BY id, scene
