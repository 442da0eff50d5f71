"""Writes the files of this folder. Needs pyarrow, polars, duckdb and pandas, and
the programs jq, gzip and zstd on the path."""

import csv
import datetime as dt
import decimal
import json
import pathlib
import subprocess

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
UTC = dt.timezone.utc
ROWS = [
    # id, name, price, amount, at, day, ok, kind
    (1, "plain", 1.5, "10.50", (2024, 1, 1, 0, 0, 0, 0), (2024, 1, 1), True, "a"),
    (2, "Grüße, \"x\"\nzwei", -0.25, "0.01", (2024, 2, 29, 23, 59, 59, 123456), (2024, 2, 29), False, "b"),
    (3, None, None, None, None, None, None, None),
    (4, "", 1e-9, "-99999999.99", (1969, 12, 31, 23, 59, 59, 999999), (1969, 12, 31), True, "a"),
    (9007199254740993, "end", 3.0, "3.00", (2038, 1, 19, 3, 14, 8, 0), (2038, 1, 19), False, "b"),
]
columns = {
    "id": [r[0] for r in ROWS],
    "name": [r[1] for r in ROWS],
    "price": [r[2] for r in ROWS],
    "amount": [r[3] and decimal.Decimal(r[3]) for r in ROWS],
    "at": [r[4] and dt.datetime(*r[4], tzinfo=UTC) for r in ROWS],
    "day": [r[5] and dt.date(*r[5]) for r in ROWS],
    "ok": [r[6] for r in ROWS],
    "kind": [r[7] for r in ROWS],
}
schema = pa.schema([
    pa.field("id", pa.int64(), nullable=False),
    ("name", pa.string()),
    ("price", pa.float64()),
    ("amount", pa.decimal128(10, 2)),
    ("at", pa.timestamp("us", tz="UTC")),
    ("day", pa.date32()),
    ("ok", pa.bool_()),
    ("kind", pa.dictionary(pa.int8(), pa.string())),
])
table = pa.table(columns, schema=schema)


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, cwd=HERE, **options).stdout


# pyarrow
pq.write_table(table, HERE / "pyarrow.parquet", row_group_size=2)
nano = table.set_column(4, "at", table["at"].cast(pa.timestamp("ns", tz="Europe/Paris")))
nano = nano.set_column(1, "name", table["name"].cast(pa.large_string()))
pq.write_table(nano, HERE / "pyarrow-nano.parquet", compression="zstd", data_page_version="2.0",
               use_dictionary=False, version="2.6")
pa.feather.write_feather(table, HERE / "pyarrow.feather", compression="lz4")
with pa.ipc.new_stream(HERE / "pyarrow.arrows", schema) as out:
    for start in range(0, 5, 2):
        out.write_table(table.slice(start, 2).unify_dictionaries())

# Polars
frame = pl.DataFrame(columns, schema={
    "id": pl.Int64, "name": pl.String, "price": pl.Float64, "amount": pl.Decimal(10, 2),
    "at": pl.Datetime("us", "UTC"), "day": pl.Date, "ok": pl.Boolean, "kind": pl.String,
}).with_columns(pl.col("kind").cast(pl.Categorical))
frame.write_parquet(HERE / "polars.parquet")
frame.write_ipc(HERE / "polars.arrow", compression="zstd")
frame.write_ipc_stream(HERE / "polars.arrows")
frame.write_csv(HERE / "polars.csv")
frame.write_ndjson(HERE / "polars.ndjson")

# DuckDB
db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'")
db.execute("""CREATE TABLE t (id BIGINT, name VARCHAR, price DOUBLE, amount DECIMAL(10, 2),
              "at" TIMESTAMPTZ, day DATE, ok BOOLEAN, kind ENUM ('a', 'b'))""")
db.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)", list(zip(*columns.values())))
for name, how in [("parquet", "FORMAT parquet"), ("csv", "HEADER"), ("jsonl", "FORMAT json"),
                  ("csv.gz", "HEADER, COMPRESSION gzip"), ("jsonl.zst", "FORMAT json, COMPRESSION zstd")]:
    db.execute(f"COPY t TO '{HERE}/duckdb.{name}' ({how})")

# pandas
data = pd.DataFrame({**columns, "kind": pd.Categorical(columns["kind"])})
data["at"] = pd.to_datetime(data["at"])
data["ok"] = data["ok"].astype("boolean")
data.to_csv(HERE / "pandas.csv", index=False)
data.to_csv(HERE / "pandas-index.csv.gz")
data.to_csv(HERE / "pandas-quoted.csv", index=False, quoting=csv.QUOTE_ALL)
data.to_json(HERE / "pandas.jsonl", orient="records", lines=True, date_format="iso", date_unit="us")
data.to_parquet(HERE / "pandas.parquet")

# What a spreadsheet of a country with decimal commas saves as CSV UTF-8.
with open(HERE / "spreadsheet.csv", "w", encoding="utf-8-sig", newline="") as file:
    out = csv.writer(file, delimiter=";", lineterminator="\r\n")
    out.writerow(columns)
    for row in ROWS:
        comma = lambda value: None if value is None else f"{value:.9f}".rstrip("0").replace(".", ",")
        when = row[4] and dt.datetime(*row[4]).strftime("%d.%m.%Y %H:%M")
        day = row[5] and dt.date(*row[5]).strftime("%d.%m.%Y")
        out.writerow([row[0], row[1], comma(row[2]), row[3] and row[3].replace(".", ","), when, day,
                      None if row[6] is None else ("WAHR" if row[6] else "FALSCH"), row[7]])

# Python's json, and jq
records = [dict(zip(columns, row)) for row in ROWS]
for record in records:
    record["at"] = record["at"] and dt.datetime(*record["at"], tzinfo=UTC).isoformat()
    record["day"] = record["day"] and dt.date(*record["day"]).isoformat()
(HERE / "python.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
array = json.dumps(records, indent=2)
(HERE / "jq.jsonl").write_bytes(run(["jq", "-c", ".[]"], input=array.encode()))

# gzip and zstd, each of two parts
lines = (HERE / "jq.jsonl").read_bytes().splitlines(keepends=True)
parts = [b"".join(lines[:2]), b"".join(lines[2:])]
(HERE / "two-members.jsonl.gz").write_bytes(b"".join(run(["gzip", "-9cn"], input=part) for part in parts))
(HERE / "two-frames.jsonl.zst").write_bytes(b"".join(run(["zstd", "-19", "-c"], input=part) for part in parts))
(HERE / "stream.arrows.zst").write_bytes(run(["zstd", "-c", "pyarrow.arrows"]))

versions = [f"pyarrow {pa.__version__}", f"polars {pl.__version__}", f"duckdb {duckdb.__version__}",
            f"pandas {pd.__version__}", run(["jq", "--version"]).decode().strip(),
            run(["gzip", "--version"]).decode().splitlines()[0],
            run(["zstd", "--version"]).decode().strip(" *\n")]
print("\n".join(versions))
