"""Logs of other programs: none may be taken for a format of ours, and what they look like is told. Some have rules."""

import os
from collections import Counter

from harness import files_under, rows

CHECKED = {"claude-code", "codex", "atif"}
OURS = {"agent-trace", "otutl", "trajectory", "conversation", "trial", "results", "summary"}


def run(suite):
    where = suite.data("vendors", "vendors")
    if not where:
        return
    claimed, wild, total, guilty = [], [], 0, []
    for vendor in sorted(os.listdir(where)):
        dev = os.path.join(where, vendor, "dev")
        paths = files_under(dev) if os.path.isdir(dev) else []
        if not paths:
            continue
        total += len(paths)
        guilty += suite.guilty(paths)
        guilty += suite.guilty(paths, ["--as", "jsonl", "--secrets"])
        results = suite.validate(paths)
        seen = Counter()
        for p in paths:
            entry = results[p]
            word = entry["format"] or entry.get("looks_like") or "nothing known"
            seen[("CLAIMED as " if entry["format"] in OURS else "") + word] += 1
            if entry["format"] in OURS:
                claimed.append((os.path.relpath(p, where), f"taken for {entry['format']}: {entry['codes']}"))
            elif entry["format"] and entry["format"] not in CHECKED and entry["verdict"] != "unchecked":
                wild.append((os.path.relpath(p, where), entry["format"]))
        suite.note(f"{vendor:24} " + "; ".join(f"{n} {w}" for w, n in seen.most_common()))
    suite.check("vendors: nothing breaks, no file is slow", guilty, total)
    suite.check("vendors: none is taken for a format of ours", claimed, total)
    suite.check("vendors: a file of theirs has no format but one without rules, or one of theirs", wild, total)
