#!/usr/bin/env python3
"""Writes the UUID columns of this folder again: needs pyarrow and duckdb."""
import uuid

import duckdb
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

IDS = [
    "00112233-4455-6677-8899-aabbccddeeff",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    None,
    "00000000-0000-0000-0000-000000000000",
]
duckdb.sql(
    "COPY (SELECT n::INT AS n, id::UUID AS id FROM (VALUES "
    + ", ".join(f"({n}, {'NULL' if id is None else repr(id)})" for n, id in enumerate(IDS))
    + ") t(n, id) ORDER BY n) TO 'duckdb.parquet' (FORMAT parquet)"
)
raw = [None if id is None else uuid.UUID(id).bytes for id in IDS]
storage = pa.array(raw, pa.binary(16))
table = pa.table(
    {
        "n": pa.array(range(len(IDS)), pa.int32()),
        "id": pa.ExtensionArray.from_storage(pa.uuid(), storage),
    }
)
pq.write_table(table, "pyarrow.parquet")
feather.write_feather(table, "pyarrow.arrow", compression="uncompressed")
# The same bytes without a mark.
pq.write_table(table.set_column(1, "id", storage), "plain.parquet")
