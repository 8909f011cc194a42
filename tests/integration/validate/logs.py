"""The logs at hand with a known verdict: aec-bench's own files and the OTUTL vectors."""

import json
import os

from harness import codes

# Specified, but not in the reference that wrote the vectors' lists.
UNLISTED = {"W_NUM_PRECISION", "W_NONCHAR", "W_TS_BACKWARDS", "W_UUID7_SKEW", "W_URI_CREDENTIALS"}

AEC = {
    "trajectory_ok.jsonl": "trajectory",
    "trajectory_error.jsonl": "trajectory",
    "trajectory_warmup.jsonl": "trajectory",
    "trajectory_partial.jsonl": "trajectory",
    "conversation_canonical.jsonl": "conversation",
    "trial_record_v1_complete.json": "trial",
}


def run(suite):
    where = suite.data("aec", "aec")
    if where:
        check_aec(suite, where)
    where = suite.data("otutl", "ledger/otutl")
    if where:
        check_otutl(suite, where)


def check_aec(suite, where):
    paths = {os.path.join(where, name): kind for name, kind in AEC.items()}
    results = suite.validate(list(paths))
    bad = []
    for path, kind in paths.items():
        entry = results[path]
        if (entry["verdict"], entry["format"]) != ("valid", kind):
            bad.append((os.path.basename(path), f"{entry['verdict']} {entry['format']} {entry['codes']}"))
    suite.check("aec: trajectories, conversation and the complete trial are detected and valid", bad, len(paths))
    others = [os.path.join(where, n) for n in sorted(os.listdir(where)) if n not in AEC and ".json" in n]
    results = suite.validate(others)
    for path in others:
        entry = results[path]
        suite.note(f"aec {os.path.basename(path)}: {entry['format']}, {entry['verdict']} {entry['codes']}")


def check_otutl(suite, where):
    with open(os.path.join(where, "index.json"), encoding="utf-8") as f:
        index = json.load(f)
    plus = {p["name"]: os.path.join(where, "pos", p["name"] + ".jsonl") for p in index["positive"]}
    minus = {n["name"]: os.path.join(where, "neg", n["name"] + ".jsonl") for n in index["negative"]}
    for options in ([], ["--as", "otutl"]):
        how = " ".join(options) or "by detection"
        results = suite.validate([*plus.values(), *minus.values()], options)
        bad = [(p, results[p]["format"]) for p in results if results[p]["format"] != "otutl"]
        suite.check(f"otutl vectors {how}: all are taken for OTUTL", bad, len(results))
        bad = []
        for p in index["positive"]:
            entry = results[plus[p["name"]]]
            if entry["verdict"] != "valid":
                bad.append((p["name"], f"invalid: {entry['codes']}"))
            elif codes(entry, "warning") - UNLISTED != set(p["warnings"]):
                bad.append((p["name"], f"warnings {codes(entry, 'warning')}, expected {set(p['warnings'])}"))
        suite.check(f"otutl vectors {how}: positive ones are valid, with their warnings", bad, len(plus))
        bad = []
        for n in index["negative"]:
            entry = results[minus[n["name"]]]
            if entry["verdict"] != "invalid" or n["expect"] not in codes(entry, "error", n["line"]):
                places = [(f["code"], f["line"]) for f in entry["findings"]]
                bad.append((n["name"], f"expected {n['expect']} at line {n['line']}, got {places}"))
        suite.check(f"otutl vectors {how}: negative ones have their code at its line", bad, len(minus))
    canonical = [p.replace(".jsonl", ".canonical.jsonl") for p in plus.values()]
    results = suite.validate([p for p in canonical if os.path.exists(p)])
    bad = [(os.path.basename(p), str(r["codes"])) for p, r in results.items() if r["verdict"] != "valid"]
    suite.check("otutl vectors: their canonical forms are valid", bad, len(results))
