-- Who did what to whom, in the Parquet files of `spacy-ucca parse --engine ray`; for DuckDB.
WITH children AS (
    SELECT id, edge.parent AS scene, edge.categories AS categories, units[edge.child + 1] AS unit
    FROM (SELECT id, units, unnest(edges) AS edge FROM 'parsed/*.parquet')
    WHERE edge.child IS NOT NULL
), scenes AS (
    SELECT id, scene,
        any_value(unit.text) FILTER (list_has_any(categories, ['P', 'S'])) AS what,
        list(unit.text ORDER BY unit.start) FILTER (list_contains(categories, 'A')) AS participants
    FROM children GROUP BY id, scene
)
SELECT id, participants[1] AS who, what, participants[2:] AS whom
FROM scenes WHERE what IS NOT NULL ORDER BY id, scene
