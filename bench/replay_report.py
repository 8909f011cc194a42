"""Reads what bench/replay measured and says whether its aims are met. usage: replay_report.py DIR"""

import json
import os
import statistics
import sys

DIR = sys.argv[1]
AIM = 20  # times less than the peer
NAMES = {"direct": "the mock alone", "record": "trackway record --content", "peer-record": "localab-vcr record",
         "replay": "trackway replay", "peer-replay": "localab-vcr replay --playback"}


def calls(row):
    """The median call of each round, in milliseconds; none for what was not measured."""
    return [statistics.median(us for us, _ in lines(name)) / 1000 for name in files(row)]


def wrong(row):
    """Calls that got the answer of another one."""
    return sum(int(bad) for name in files(row) for _, bad in lines(name))


def files(row):
    return sorted(n for n in os.listdir(DIR) if n.startswith(row + "."))


def lines(name):
    with open(os.path.join(DIR, name), encoding="ascii") as f:
        return [[float(w) for w in line.split("\t")] for line in f]


def say(results, label, value, unit, aim, met):
    word = "not measured" if value is None else f"{value:.3f} {unit}"
    verdict = "not measured" if met is None else "met" if met else "MISSED"
    print(f"{label:52}{word:>16}   aim {aim}: {verdict}")
    results.append({"name": label, "value": value, "unit": unit, "aim": aim, "verdict": verdict})


def compare(results, label, ours, theirs):
    """Neighbouring rounds are compared, which is steady when the machine is not."""
    ratio = statistics.median(t / o for o, t in zip(ours, theirs)) if ours and theirs else None
    say(results, label, ratio, "times less", f"{AIM}", None if ratio is None else ratio >= AIM)


def report_calls(results, how):
    """All programs with connections that are kept, or fresh ones."""
    rows = {row: calls(f"{row}-{how}") for row in NAMES}
    print(f"{f'a call on {how} connections, ms':32}{'median':>10}{'least':>10}{'most':>10}")
    for row, each in rows.items():
        if each:
            bad = wrong(f"{row}-{how}")
            print(f"{NAMES[row]:32}{statistics.median(each):10.3f}{min(each):10.3f}{max(each):10.3f}"
                  + (f"   {bad} answers were those of another call" if bad else ""))
        else:
            print(f"{NAMES[row]:32}{'not measured':>30}")
    # What recording adds. What is below the spread of the mock alone cannot be told from it, and counts as that spread.
    least = max(max(rows["direct"]) - min(rows["direct"]), 0.01)
    added = {row: [max(r - d, least) for r, d in zip(rows[row], rows["direct"])] for row in ("record", "peer-record")}
    for row, each in added.items():
        if each:
            print(f"{NAMES[row]:32}adds {statistics.median(each):.3f}; the mock alone varies by {least:.3f}")
    compare(results, f"{how}: what a recorded call adds, against the peer", added["record"], added["peer-record"])
    compare(results, f"{how}: a replayed call, whole, against the peer", rows["replay"], rows["peer-replay"])
    print()
    return rows


def main():
    results = []
    rows = {how: report_calls(results, how) for how in ("kept", "fresh")}
    # on a machine that is busy with other things CLOCK=cpu counts what it cost instead of how long it took
    load = statistics.median(r[3 if os.environ.get("CLOCK") == "cpu" else 2] for r in lines("load.tsv"))
    count = int(lines("load.tsv")[0][0])
    say(results, f"a cassette of {count} exchanges is ready", load, "s", "< 1 s", load < 1 if count >= 10000 else None)
    pace = statistics.median(r[2] for r in lines("pace.tsv"))
    events = int(lines("pace.tsv")[0][0])
    say(results, f"lateness of {events} replayed pieces, p99", pace / 1000, "ms", "< 1 ms",
        pace < 1000 if events >= 60000 and os.environ.get("CLOCK") != "cpu" else None)
    with open(os.path.join(DIR, "..", "replay.json"), "w", encoding="utf-8") as f:
        json.dump({"calls_ms": rows, "aims": results}, f, indent=1)
    return 1 if any(r["verdict"] == "MISSED" for r in results) else 0


sys.exit(main())
