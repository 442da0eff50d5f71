#!/usr/bin/env python3
"""Puts a cost file into the kernels as the one that is shipped.

    streamjoin sweep --write-costs costs.json
    scripts/shipped_costs.py costs.json

Rewrites the table in kernels/src/table/auto/shipped.rs.
"""

import json
import pathlib
import sys

TARGET = pathlib.Path(__file__).parent.parent / "kernels/src/table/auto/shipped.rs"
START = "const MEASURED: &[Measured] = &[\n"
FIGURES = ["buildNs", "hitNs", "missNs", "existsNs", "gatherNs", "bytes"]


def number(value):
    """Three digits, as a Rust float."""
    text = f"{value:.3g}"
    return text if "." in text else repr(float(text))


def line(cost):
    index, filtered = cost["index"].removesuffix("+bloom"), cost["index"].endswith("+bloom")
    figures = ", ".join(number(cost[name]) for name in FIGURES)
    rows = f"{cost['rows']:.0e}".replace("e+0", "e")
    return (
        f"    ({cost['shape'].capitalize()}, {index.capitalize()}, {str(filtered).lower()}, "
        f"{rows}, {number(cost['rowsAKey'])}, [{figures}]),\n"
    )


def main():
    costs = json.loads(pathlib.Path(sys.argv[1]).read_text())["costs"]
    costs.sort(key=lambda c: (c["shape"], c["index"], c["rowsAKey"], c["rows"]))
    before = TARGET.read_text().split(START)[0]
    TARGET.write_text(before + START + "".join(line(cost) for cost in costs) + "];\n")


if __name__ == "__main__":
    main()
