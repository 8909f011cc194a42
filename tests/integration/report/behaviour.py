# Transcripts sealed with 60 of the trials; what the reports say of their turns computed again from the bond and the
# confidence that `trial classify` gives each turn of the sealed file.
import json
import math
import os
import random

BONDS = ("execution", "verification", "deliberation", "exploration")
TEXTS = ("I will write the file.", "Let me verify the result against the table.", "Perhaps it is one, or maybe the other?",
         "First the load, therefore the beam must carry it, so step by step we go on.", "Done: | a | b |")


def make(original, seed=5):
    """Trials like the original; of each tenth the transcript has no content, of another tenth it is not there."""
    rng, records = random.Random(seed), []
    os.mkdir("talk")
    for n in range(60):
        r = json.loads(json.dumps(original))
        r["trial_id"], r["experiment_id"] = "talk-%02d" % n, "e-talk"
        r["task"]["task_id"] = "talk/task-%d" % (n // 6)
        r["agent"]["model"] = ("m-large", "m-small", "m-mid")[n % 3]
        r["evaluation"]["reward"] = 1.0 if n % 4 == 0 else 0.5
        r["outputs"]["trajectory_path"] = "talk/%02d.jsonl" % n
        records.append(r)
        if n % 10 == 9 or n % 3 == 2 and n > 30:
            continue
        with open("talk/%02d.jsonl" % n, "w", encoding="utf-8") as out:
            out.write('{"version": 1, "format": "aec-bench-trajectory"}\n')
            for step in range(1 + rng.randrange(8)):
                text = "" if n % 10 == 8 else rng.choice(TEXTS)
                out.write(json.dumps({"step": step, "role": "assistant", "content": text}) + "\n")
    return records


def matrix(bonds):
    counts = [[0] * 4 for _ in BONDS]
    for a, b in zip(bonds, bonds[1:]):
        counts[BONDS.index(a)][BONDS.index(b)] += 1
    return [[c / max(sum(row), 1) for c in row] for row in counts]


def mean_matrix(trials):
    turns = sum(len(b) for b in trials)
    all_of = [(len(b), matrix(b)) for b in trials]
    return [[sum(n * m[i][j] for n, m in all_of) / turns for j in range(4)] for i in range(4)]


def cosine(a, b):
    x, y = [v for row in a for v in row], [v for row in b for v in row]
    length = math.hypot(*x) * math.hypot(*y)
    return sum(p * q for p, q in zip(x, y)) / length if length > 1e-12 else 0


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1] / max(len(a), len(b))


def ideal(trials):
    times = {}
    for b in trials:
        times[tuple(b)] = times.get(tuple(b), 0) + 1
    return min(times, key=lambda b: (-times[b], -len(b), b))


def mean(values):
    return sum(values) / len(values) if values else None


def near(a, b):
    return a == b or (a is not None and b is not None and abs(a - b) <= 2e-6)


def bonds_of(run, t):
    """(bond, confidence) of each turn of the sealed transcript; None when there is nothing to classify."""
    where = os.path.join("ledger/artifacts", t["experiment_id"], t["trial_id"])
    files = [os.path.join(where, f) for f in os.listdir(where)] if os.path.isdir(where) else []
    if not files or all('"content": ""' in line for line in list(open(files[0], encoding="utf-8"))[1:]):
        return None
    turns = json.loads(run("trial", "classify", files[0], "--json=trials"))["trials"][0]["turns"]
    return [(turn["bond"], turn["confidence"]) for turn in turns]


def check(w, run, report, check_that):
    talk = [t for t in w.counted() if t["experiment_id"] == "e-talk"]
    known = {t["trial_id"]: bonds_of(run, t) for t in talk}
    check_traces(known, report, check_that)
    groups = {}
    for t in talk:
        groups.setdefault(t["agent"]["model"], []).append(known[t["trial_id"]])
    good = [[b for b, _ in known[t["trial_id"]]] for t in talk if t["evaluation"]["reward"] >= 1 and known[t["trial_id"]]]
    best, model_matrix = list(ideal(good)), mean_matrix(good)
    d = report("behaviour", "--experiment", "e-talk")
    check_that("the reference", [d["classifier"][k] for k in ("reference_trials", "reference_turns", "reference_sequence")] ==
               [len(good), sum(map(len, good)), best], d["classifier"])
    check_that("a row for each model", sorted(r["model"] for r in d["rows"]) == sorted(groups))
    for r in d["rows"]:
        all_of = groups[r["model"]]
        own = [t for t in all_of if t]
        names, turns = [[b for b, _ in t] for t in own], [x for t in own for x in t]
        want = {b: sum(x == b for x, _ in turns) / len(turns) for b in BONDS}
        want.update({
            "classified_trials": len(own), "unclassified_trials": len(all_of) - len(own), "classified_turns": len(turns),
            "mean_turn_confidence": mean([mean([c for _, c in t]) for t in own]),
            "low_confidence_share": mean([c < 0.75 for _, c in turns]),
            "cosine_similarity": mean([cosine(matrix(b), model_matrix) for b in names]),
            "normalized_edit_distance": mean([distance(b, best) for b in names])})
        for key, value in want.items():
            check_that("%s: %s" % (r["model"], key), near(r[key], value), "got %r, want %r" % (r[key], value))
        rows = [[x[b] for b in BONDS] for x in d["transitions"] if x["model"] == r["model"]]
        check_that("transitions of " + r["model"], len(rows) == 4 and all(
            near(a, b) for x, y in zip(rows, mean_matrix(names)) for a, b in zip(x, y)), rows)


def check_traces(known, report, check_that):
    rows = {r["trial_id"]: r for r in report("traces", "--experiment", "e-talk")["trials"]}
    check_that("some trials have no behaviour, most have one", 10 < sum(v is None for v in known.values()) < 30)
    for trial, turns in known.items():
        r = rows[trial]
        counts = [sum(b == x for x, _ in turns) for b in BONDS] if turns else [None] * 4
        check_that("bonds of " + trial, [r[b] for b in BONDS] == counts, r)
        check_that("the dominant one of " + trial, r["dominant_bond"] == (BONDS[counts.index(max(counts))] if turns else None))
        check_that("confidence of " + trial, near(r["mean_turn_confidence"], mean([c for _, c in turns or []])), r)
        check_that("low confidence of " + trial, near(r["low_confidence_share"], mean([c < 0.75 for _, c in turns or []])), r)
