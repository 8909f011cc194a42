"""The same input gives the same bytes: again, with other threads, through a pipe."""

import hashlib
import json
import os
import re


def read(path):
    with open(path, "rb") as f:
        return f.read()


def variants(suite, s):
    """What differs from the first conversion, or None."""
    first = read(s.out)
    for title, options in (("again", []), ("--jobs 1", ["--jobs", "1"]), ("--jobs 2", ["--jobs", "2"])):
        status, out, said = suite.call(["convert", s.path, "--to", "otutl", *options])
        if status != 0 or out != first:
            return (s.name, f"{title}: {difference(first, out) if status == 0 else said[:100]}")
    with open(s.path, "rb") as f:
        status, out, said = suite.call(["convert", "-", "--to", "otutl"], stdin=f)
    plain = re.sub(rb'"file_sha256":"[0-9a-f]{64}",', b"", first)
    if status != 0 or out != plain:
        return (s.name, f"through a pipe: {difference(plain, out) if status == 0 else said[:100]}")
    return None


def difference(a, b):
    at = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
    return f"byte {at}: {a[max(0, at - 40) : at + 30]!r} against {b[max(0, at - 40) : at + 30]!r}"


def wrong_hash(suite, s):
    """The run hash is the digest of the lines of the run without their ends."""
    digests, lines = [], []
    for line in read(s.out).splitlines():
        if json.loads(line)["type"] == "run_start" and lines:
            digests.append(hashlib.sha256(b"".join(lines)).hexdigest())
            lines = []
        lines.append(line)
    digests.append(hashlib.sha256(b"".join(lines)).hexdigest())
    status, out, said = suite.call(["hash", "--json", s.out])
    if status != 0:
        return (s.name, f"hash: exit {status} {said[:100]}")
    file = json.loads(out)["files"][0]
    told = [r["run_hash"] for r in file.get("runs", [file])]
    return None if told == digests else (s.name, f"{len(told)} run hashes are not the digests of {len(digests)} runs")


def alone(s):
    """Whether nothing lies beside the file that belongs to it: a pipe has no neighbours."""
    settings = s.path[: -len("results.jsonl")] + "metadata.json" if s.path.endswith("results.jsonl") else ""
    return not os.path.isdir(os.path.splitext(s.path)[0]) and not (settings and os.path.exists(settings))


def run(suite):
    done = [s for s in suite.samples() if s.out and alone(s)]
    bad = [w for w in suite.each(lambda s: variants(suite, s), done) if w]
    suite.check("same: twice, with one thread or two, through a pipe", bad, len(done))
    bad = [w for w in suite.each(lambda s: wrong_hash(suite, s), done) if w]
    suite.check("same: the bytes are those the run hash is of", bad, len(done))
