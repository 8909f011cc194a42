"""validate.py FILE SCHEMA: json.loads and Python's jsonschema, line by line, the schema compiled once."""

import importlib.metadata
import json
import platform
import sys
import time

import jsonschema

WARM = 200  # lines


def check_lines(validator, lines):
    for line in lines:
        if not validator.is_valid(json.loads(line)):
            sys.exit(f"jsonschema refuses a line: {line[:200]!r}")


def main():
    path, schema_path = sys.argv[1:3]
    with open(schema_path, "rb") as f:
        validator = jsonschema.Draft202012Validator(json.load(f))
    with open(path, "rb") as f:
        lines = f.readlines()
    check_lines(validator, lines[:WARM])
    cpu, wall = time.process_time(), time.perf_counter()
    check_lines(validator, lines)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    version = importlib.metadata.version("jsonschema")
    size = sum(map(len, lines))
    print(wall, cpu, size, len(lines), "-", f"jsonschema {version}, Python {platform.python_version()}", sep="\t")


main()
