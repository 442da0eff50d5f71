"""Makes the files of this folder, next to itself: python make.py [spark]."""

import sys
from datetime import datetime
from pathlib import Path

here = Path(__file__).parent


def path(name):
    return str(here / name)


def with_pyarrow():
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Row groups, each with a dictionary of its own: 300 texts under 8-bit indexes, and
    # indexes that are used to the last.
    schema = pa.schema(
        [
            ("id", pa.int64()),
            ("small", pa.dictionary(pa.int8(), pa.string())),
            ("full8", pa.dictionary(pa.int8(), pa.string())),
            ("full_u8", pa.dictionary(pa.uint8(), pa.large_string())),
            ("bytes", pa.dictionary(pa.int16(), pa.binary())),
            ("number", pa.dictionary(pa.int8(), pa.int64())),
        ]
    )

    def codes(count, index, rows=100):
        return pa.array([i % count for i in range(rows)], index)

    def texts(prefix, count, kind):
        return pa.array([f"{prefix}{i}" for i in range(count)], kind)

    def groups():
        for group in range(3):
            of = pa.DictionaryArray.from_arrays
            yield pa.record_batch(
                [
                    pa.array([group * 256 + i for i in range(256)], pa.int64()),
                    of(codes(100, pa.int8(), 256), texts(f"g{group}-", 100, pa.string())),
                    of(codes(128, pa.int8(), 256), texts("v", 128, pa.string())),
                    of(codes(256, pa.uint8(), 256), texts("w", 256, pa.large_string())),
                    of(codes(5, pa.int16(), 256), pa.array([bytes([group, i]) for i in range(5)])),
                    of(codes(7, pa.int8(), 256), pa.array([group * 10 + i for i in range(7)])),
                ],
                schema=schema,
            )

    with pq.ParquetWriter(path("pyarrow-categories.parquet"), schema, compression="zstd") as out:
        for batch in groups():
            out.write_batch(batch)
    with pa.OSFile(path("pyarrow-categories.arrows"), "wb") as sink:
        with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as out:
            for batch in groups():
                out.write_batch(batch)


def with_polars():
    import polars as pl

    table = pl.DataFrame(
        {
            "id": [1, 2, 3, 4],
            "kind": pl.Series(["red", None, "a category beyond twelve bytes", "red"], dtype=pl.Categorical),
            "grade": pl.Series(["low", "high", None, "low"], dtype=pl.Enum(["low", "high"])),
        }
    )
    table.write_parquet(path("polars-categories.parquet"))
    table.write_ipc(path("polars-categories.arrow"), compression="zstd")


def with_duckdb():
    import duckdb

    duckdb.sql(
        """
        COPY (
            SELECT * FROM (VALUES
                (1, TIMESTAMP '2024-02-29 12:00:00', TIMESTAMPTZ '2024-02-29 12:00:00+00', DATE '2024-02-29',
                 INTERVAL '1 year 2 months 3 days 4.5 seconds'),
                (2, TIMESTAMP 'infinity', TIMESTAMPTZ 'infinity', DATE 'infinity', INTERVAL '11 months'),
                (3, TIMESTAMP '-infinity', TIMESTAMPTZ '-infinity', DATE '-infinity', INTERVAL '0 seconds'),
                (4, NULL, NULL, NULL, NULL)
            ) AS t(id, "at", atz, day, span)
        ) TO '%s' (FORMAT parquet, COMPRESSION zstd)
        """
        % path("duckdb-times.parquet")
    )
    duckdb.sql(
        """
        COPY (
            SELECT id, {'at': "at", 'span': span} AS both, ["at", NULL] AS ats, [span] AS spans
            FROM read_parquet('%s')
        ) TO '%s' (FORMAT parquet, COMPRESSION zstd)
        """
        % (path("duckdb-times.parquet"), path("duckdb-nested-times.parquet"))
    )


def with_spark():
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.parquet.outputTimestampType", "INT96")
        .config("spark.sql.parquet.compression.codec", "zstd")
        .getOrCreate()
    )
    texts = [
        "0001-01-01 00:00:00",
        "1582-10-15 00:00:00.000001",
        "1677-09-21 00:12:43.145224",
        "1969-12-31 23:59:59.999999",
        "2024-02-29 12:00:00.123456",
        "2262-04-11 23:47:16.854776",
        "9999-12-31 00:00:00",
        "9999-12-31 23:59:59.999999",
    ]
    rows = ",".join(f"({i}, TIMESTAMP '{text}')" for i, text in enumerate(texts))
    table = spark.sql(
        f"""
        SELECT id, at, CAST(at AS STRING) AS text, struct(at AS at) AS inner, array(at, NULL) AS list,
               map('k', at) AS map
        FROM VALUES {rows}, ({len(texts)}, CAST(NULL AS TIMESTAMP)) AS t(id, at)
        """
    )
    target = here / "spark"
    table.coalesce(1).write.mode("overwrite").parquet(str(target))
    (part,) = target.glob("*.parquet")
    part.rename(here / "spark-int96.parquet")
    for rest in sorted(target.iterdir()):
        rest.unlink()
    target.rmdir()
    # What the tests of texts expect.
    spark.sql(
        """
        SELECT timestamp_micros(9223372036854775807) AS most, timestamp_micros(-9223372036854775807) AS least,
               date_from_unix_date(2147483647) AS day, to_json(struct(timestamp_micros(9223372036854775807) AS t)) AS json,
               struct(1.0D AS n, X'01AB' AS b, timestamp_micros(9223372036854775807) AS t) AS s,
               struct(CAST(NULL AS INT) AS n, X'' AS b) AS s2, array(1, NULL) AS l, map('a', 1) AS m,
               timestamp_micros(-62167219200000001) AS bc
        """
    ).show(truncate=False)


if sys.argv[1:] == ["spark"]:
    with_spark()
else:
    with_pyarrow()
    with_polars()
    with_duckdb()
