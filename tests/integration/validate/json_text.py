"""Sets 01 and 01b: the plain RFC 8259 verdict of --as json."""

import csv
import os

SETS = {
    "01-jsontestsuite": ["EXPECT.test_parsing.tsv", "EXPECT.test_transform.tsv"],
    "01b-json-extra": ["EXPECT.tsv"],
}


def run(suite):
    for name, tables in SETS.items():
        where = suite.data(name, f"corpora/{name}/dev")
        if where:
            check_set(suite, name, where, tables)


def check_set(suite, name, where, tables):
    expected = {}
    for table in tables:
        with open(os.path.join(where, table), encoding="utf-8") as f:
            for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
                expected[os.path.join(where, row["file"])] = row["rfc8259_expect"]
    paths = sorted(expected)
    suite.check(f"{name}: no file breaks it or takes a second", suite.guilty(paths, ["--as", "json"]), len(paths))
    first, again = (suite.validate(paths, ["--as", "json", "--jobs", jobs]) for jobs in ("1", "2"))
    verdicts = {p: first[p]["verdict"] for p in paths}
    for word, verdict in (("accept", "valid"), ("reject", "invalid")):
        rows = [p for p in paths if expected[p] == word]
        bad = [(shorten(where, p), f"{verdicts[p]}, expected {verdict}") for p in rows if verdicts[p] != verdict]
        suite.check(f"{name}: what RFC 8259 says to {word} is {verdict}", bad, len(rows))
    either = [p for p in paths if expected[p] == "either"]
    bad = [(shorten(where, p), verdicts[p]) for p in either if verdicts[p] not in ("valid", "invalid")]
    suite.check(f"{name}: what RFC 8259 leaves open has a verdict", bad, len(either))
    bad = [(shorten(where, p), "differs") for p in paths if first[p] != again[p]]
    suite.check(f"{name}: twice the same, whatever the threads", bad, len(paths))
    # The file alone gives the exit status that scripts rely on.
    bad = []
    for p in paths[::8]:
        status = suite.run(["validate", "--as", "json", "--", p])[0]
        if status != (0 if verdicts[p] == "valid" else 1):
            bad.append((shorten(where, p), f"exit {status}, but {verdicts[p]} in the document"))
    suite.check(f"{name}: the exit status is the verdict", bad, len(paths[::8]))
    suite.check(f"{name}: by detection nothing breaks", suite.guilty(paths), len(paths))


def shorten(where, path):
    return os.path.relpath(path, where)
