#!/usr/bin/env python3
"""Records what Spark answers to the expressions of recorded.jsonl.

    python3 record.py recorded.jsonl    # needs pyspark and a JRE

Reads the `sql` of each line and writes the line again with what Spark says:
`type` (`typeof`) and `value` (as text, null for null; arrays as a list of texts), or
`error` (the error class). To add a case, add a line with `sql` alone.
"""
import json
import sys

from pyspark.sql import SparkSession
from pyspark.errors import PySparkException
from py4j.protocol import Py4JJavaError

path = sys.argv[1]
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.variable.substitute", "false")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")


def answer(sql):
    kind = spark.sql(f"SELECT typeof({sql})").first()[0]
    if kind.startswith("array"):
        shown = f"transform({sql}, x -> CAST(x AS STRING))"
    elif kind == "binary":
        shown = f"hex({sql})"
    else:
        shown = f"CAST({sql} AS STRING)"
    return {"type": kind, "value": spark.sql(f"SELECT {shown}").first()[0]}


lines = [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]
with open(path, "w", encoding="utf-8") as out:
    for line in lines:
        record = {"sql": line["sql"]}
        try:
            record |= answer(line["sql"])
        except PySparkException as e:
            record["error"] = e.getCondition() or str(e).split("\n")[0][:80]
        except Py4JJavaError as e:
            record["error"] = e.java_exception.getClass().getName()
        out.write(json.dumps(record, ensure_ascii=False) + "\n")
