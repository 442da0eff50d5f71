"""Records what Spark makes of expressions over nested columns and of JSON functions.

    python record.py > recorded.jsonl

with pyspark 4.3. Each line has the expression and its values for the rows of
`rows.jsonl`, or the class of the error that Spark raises.
"""
import base64, datetime, decimal, json, math, os, sys
from pyspark.sql import SparkSession, Row

here = os.path.dirname(os.path.abspath(__file__))
spark = (SparkSession.builder.master("local[1]")
         .config("spark.sql.session.timeZone", "UTC")
         .config("spark.ui.enabled", "false")
         .config("spark.sql.shuffle.partitions", "1").getOrCreate())
spark.sparkContext.setLogLevel("OFF")
os.environ["TZ"] = "UTC"
import time; time.tzset()

SCHEMA = """i INT, k STRING,
  after STRUCT<id: BIGINT, Name: STRING, `a.b`: INT, inner: STRUCT<x: INT, ts: TIMESTAMP>>,
  arr ARRAY<INT>, structs ARRAY<STRUCT<field: INT, deep: STRUCT<y: STRING>>>,
  m MAP<STRING, INT>, mi MAP<STRING, STRING>, ms MAP<STRING, STRUCT<v: INT, w: ARRAY<INT>>>,
  nested ARRAY<ARRAY<INT>>, t STRUCT<i: INT, x: STRING, after: INT>, s STRING"""
(spark.read.schema(SCHEMA).json(os.path.join(here, "rows.jsonl")).coalesce(1)
    .selectExpr("* EXCEPT (mi, s)", "transform_keys(mi, (k, v) -> CAST(k AS INT)) AS mi", "s")).createOrReplaceTempView("t")

def plain(v):
    if v is None or isinstance(v, (bool, int, str)): return v
    if isinstance(v, float): return v if math.isfinite(v) else str(v)
    if isinstance(v, decimal.Decimal): return "%s" % v
    if isinstance(v, datetime.datetime): return v.strftime("%Y-%m-%d %H:%M:%S.%f")
    if isinstance(v, datetime.date): return v.strftime("%Y-%m-%d")
    if isinstance(v, (bytes, bytearray)): return "0x" + bytes(v).hex()
    if isinstance(v, Row): return {"struct": [[k, plain(x)] for k, x in zip(v.__fields__, v)]}
    if isinstance(v, dict): return {"map": [[plain(k), plain(x)] for k, x in v.items()]}
    if isinstance(v, list): return [plain(x) for x in v]
    return str(v)

def error_class(e):
    c = None
    for name in ("getCondition", "getErrorClass"):
        if hasattr(e, name):
            try: c = getattr(e, name)()
            except Exception: pass
            if c: return c
    s = str(e)
    i = s.find("[")
    return s[i + 1:s.find("]", i)] if i >= 0 else s[:80]

out = sys.stdout
for topic in sys.argv[1:]:
    spark.conf.set("spark.sql.ansi.enabled", "false" if topic == "lenient" else "true")
    for line in open(os.path.join(here, topic + ".sql")):
        sql = line.rstrip("\n")
        if not sql or sql.startswith("--"): continue
        constant = sql.startswith("= ")
        if constant: sql = sql[2:]
        record = {"topic": topic, "sql": sql}
        try:
            df = spark.sql("SELECT " + sql + " AS r" + ("" if constant else " FROM t WHERE i = 0" if topic == "first" else " FROM t"))
            record["type"] = df.schema["r"].dataType.simpleString()
            values = [plain(r[0]) for r in df.collect()]
            record.update({"value": values[0]} if constant else {"rows": values})
        except Exception as e:
            record["error"] = error_class(e)
        out.write(json.dumps(record, ensure_ascii=False) + "\n")
        out.flush()
