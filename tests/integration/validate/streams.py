"""Sets 04, 07 and 12: what agents and providers really wrote. Real text, and hardly a key in it."""

import os
import re
from collections import Counter

from harness import files_under, rows


def run(suite):
    allowed = allowed_keys(suite)
    where = suite.data("04-sse", "corpora/04-sse/dev")
    if where:
        check_streams(suite, where, allowed)
    for name in ("07-otlp", "12-trajectories"):
        where = suite.data(name, f"corpora/{name}/dev")
        if where:
            check_files(suite, name, where)
    where = suite.data("12-trajectories", "corpora/12-trajectories/dev")
    if where:
        check_lines(suite, where)


def allowed_keys(suite):
    """The one rule that the README lets fire in set 04: a JSON web token."""
    path = suite.data("10-secrets", "corpora/10-secrets/dev/rules_selected.jsonl")
    return [re.compile(r["regex_python"]) for r in rows(path) if r["id"] == "jwt"] if path else []


def false_keys(suite, title, paths, options, allowed=()):
    results = suite.validate(paths, options)
    bad, real = [], []
    for p in paths:
        hits = [f for f in results[p]["findings"] if f["code"] in ("V003", "AT062")]
        if not hits:
            continue
        with open(p, encoding="utf-8", errors="replace") as f:
            text = f.read()
        if any(rule.search(text) for rule in allowed):
            real.append(p)
        else:
            bad += [(os.path.basename(p), f"{f['code']} at {f['line']}: {f['pointer']} {f['message']}") for f in hits]
    suite.check(f"{title}: no false key", bad, len(paths))
    if allowed:
        told = [("files with a JSON web token", [os.path.basename(p) for p in real])] if len(real) > 1 else []
        suite.check(f"{title}: a JSON web token in one file at most", told, len(paths))
        suite.note(f"{title}: with a JSON web token: {[os.path.basename(p) for p in real]}")
    return results


def check_streams(suite, where, allowed):
    raw = files_under(where, ".sse")
    for options in ([], ["--as", "jsonl", "--secrets"], ["--as", "json", "--secrets"]):
        bad = suite.guilty(raw, options)
        suite.check(f"set 04 {' '.join(options) or 'by detection'}: nothing breaks or is slow", bad, len(raw))
    results = suite.validate(raw)
    bad = [(os.path.basename(p), results[p]["format"]) for p in raw if results[p]["format"]]
    suite.check("set 04: a stream is in no format of ours", bad, len(raw))
    false_keys(suite, "set 04 streams --as jsonl", raw, ["--as", "jsonl", "--secrets"], allowed)
    packed = files_under(where, ".jsonl.gz")
    if packed:
        false_keys(suite, "set 04 exchanges", packed, ["--as", "jsonl", "--secrets"])
    # The payloads, one per line, are where keys would be.
    place = suite.directory("payloads")
    made = []
    for p in files_under(os.path.join(where, "transcripts"), ".sse"):
        with open(p, encoding="utf-8", errors="replace", newline="") as f:
            lines = [m.strip() for m in re.findall(r"^data: ?(.*?)\r?$", f.read(), re.MULTILINE)]
        lines = [t for t in lines if t.startswith("{")]
        if lines:
            made.append(suite.write(place, os.path.basename(p) + ".jsonl", "\n".join(lines) + "\n"))
    results = false_keys(suite, "set 04 payloads", made, ["--as", "jsonl", "--secrets"], allowed)
    broken = [p for p in made if results[p]["verdict"] == "invalid"]
    suite.note(f"set 04 payloads that are not JSON throughout: {len(broken)} of {len(made)}")
    seen = Counter(tell(r) for r in suite.validate(made).values())
    suite.note("set 04 payloads, seen as: " + "; ".join(f"{n} {w}" for w, n in seen.most_common()))


def tell(entry):
    return entry["format"] or entry.get("looks_like") or "nothing known"


def check_files(suite, name, where):
    paths = [p for p in files_under(where) if not os.path.basename(p).startswith("EXPECT")]
    for options in ([], ["--as", "jsonl", "--secrets"], ["--as", "json", "--secrets"]):
        bad = suite.guilty(paths, options)
        suite.check(f"set {name} {' '.join(options) or 'by detection'}: nothing breaks or is slow", bad, len(paths))
    single = [p for p in paths if p.endswith((".json", ".traj"))]
    lines = [p for p in paths if p.endswith(".jsonl")]
    if single:
        false_keys(suite, f"set {name} --as json", single, ["--as", "json", "--secrets"])
    if lines:
        false_keys(suite, f"set {name} --as jsonl", lines, ["--as", "jsonl", "--secrets"])
    results = false_keys(suite, f"set {name} by detection", paths, ["--secrets"])
    seen = Counter(tell(r) for r in results.values())
    suite.note(f"set {name}, seen as: " + "; ".join(f"{n} {w}" for w, n in seen.most_common()))
    for p in paths:
        r = results[p]
        if r["format"]:
            suite.note(f"  {r['format']}, {r['verdict']}: {os.path.relpath(p, where)} {r['codes']}")


def check_lines(suite, where):
    """Which lines are not JSON is known for every file of set 12."""
    bad, n = [], 0
    expected = rows(os.path.join(where, "EXPECT.jsonl"))
    for kind in ("jsonl", "json"):
        some = {os.path.join(where, r["file"]): r for r in expected if r["kind"] == kind}
        if not some:
            continue
        n += len(some)
        results = suite.validate(list(some), ["--as", kind])
        for p, r in some.items():
            got = {f["line"] for f in results[p]["findings"] if f["severity"] == "error"}
            listed = {line for line, _ in r.get("bad") or []} if kind == "jsonl" else set()
            wanted = "invalid" if r.get("n_bad") else "valid"
            if results[p]["verdict"] != wanted or (listed and got != listed):
                bad.append((r["file"], f"{results[p]['verdict']}, lines {sorted(got)}; expected {r.get('bad')}"))
    suite.check("set 12: the lines that are not JSON, and no others, are invalid", bad, n)
