# Reviews of 300 trials by three people, some missing, some deferred, some given twice; agreement, queue and gates
# computed again from the list of what was sealed.
import json
import math
import os
import random
import subprocess

PEOPLE = (("ana", "structural"), ("ben", "structural"), ("cem", "electrical"))


def make(trials, seed=11):
    """(trial, reviewer, discipline, judgment) in the order in which they are sealed; then who adjudicated."""
    rng, given = random.Random(seed), []
    for t in trials:
        truth = rng.random() < 0.6
        for who, discipline in PEOPLE:
            if rng.random() < 0.3:
                continue
            word = "defer" if rng.random() < 0.1 else ("pass" if truth != (rng.random() < 0.15) else "fail")
            given.append((t, who, discipline, word))
            if rng.random() < 0.05:
                given.append((t, who, discipline, "fail" if word == "pass" else "pass"))
    return given


def latest(given):
    last = {}
    for t, who, discipline, word in given:
        last[t, who] = (discipline, word)
    return last


def alpha(units):
    units = [u for u in units if len(u) >= 2]
    values = [v for u in units for v in u]
    n, totals = len(values), {v: values.count(v) for v in set(values)}
    seen = sum(sum(a != b for i, a in enumerate(u) for j, b in enumerate(u) if i != j) / (len(u) - 1) for u in units)
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b)
    return 1 - (n - 1) * seen / expected if expected else None


def kappa(pairs):
    n = len(pairs)
    seen = sum(a == b for a, b in pairs) / n
    chance = sum(sum(a == w for a, _ in pairs) * sum(b == w for _, b in pairs) for w in ("pass", "fail")) / n / n
    return (seen - chance) / (1 - chance) if chance < 1 else None


def by_trial(last, wanted=None):
    units = {}
    for (t, _), (discipline, word) in last.items():
        if word != "defer" and wanted in (None, discipline):
            units.setdefault(t, []).append(word)
    return units


def seal(program, trials, given, adjudicated):
    rows = {r["id"]: r for r in json.loads(subprocess.run(
        [program, "ledger", "list", "--json=id,index,leaf,experiment_id"], check=True, stdout=subprocess.PIPE).stdout)["trials"]}
    os.makedirs("reviews", exist_ok=True)
    kinds = [(g, "annotation") for g in given] + [((t, "dan", "lead", w), "adjudication") for t, w in adjudicated]
    for n, ((t, who, discipline, word), kind) in enumerate(kinds):
        with open("reviews/%05d.json" % n, "w", encoding="utf-8") as out:
            json.dump({"review_id": "r-%05d" % n, "kind": kind, "experiment_id": rows[t]["experiment_id"],
                       "trial_id": t, "index": rows[t]["index"], "leaf": rows[t]["leaf"], "reviewer_id": who,
                       "reviewer_discipline": discipline, "timestamp": "2026-06-01T00:00:00Z", "judgment": word,
                       "categories": [], "notes": None}, out)
    names = sorted(os.path.join("reviews", f) for f in os.listdir("reviews"))
    for i in range(0, len(names), 200):
        subprocess.run([program, "-q", "ledger", "add", *names[i:i + 200]], check=True, stdout=subprocess.DEVNULL)


def check(program, w, same, report):
    trials = [t["trial_id"] for t in w.counted()][500:800]
    given = make(trials)
    last = latest(given)
    units = by_trial(last)
    disputed = sorted(t for t, u in units.items() if len(set(u)) == 2)
    adjudicated = [(t, "pass" if i % 2 else "fail") for i, t in enumerate(disputed[::3])]
    settled = {t for t, _ in adjudicated}
    seal(program, trials, given, adjudicated)
    d = report("review", "--gate", "open<=0", "--gate", "annotators>=1", "--gate", "alpha>=0.2",
               "--gate", "complete>=50%", status=1)
    rows = {r["discipline"]: r for r in d["agreement"]}
    for name, wanted in (("all", None), ("structural", "structural"), ("electrical", "electrical")):
        of = by_trial(last, wanted).values()
        same("alpha of " + name, rows[name]["alpha"], alpha(of))
        same("judgments of " + name, rows[name]["judgments"], sum(len(u) for u in of if len(u) > 1))
    for r in d["pairs"]:
        pairs = [(last[t, r["a"]][1], last[t, r["b"]][1]) for t in trials if (t, r["a"]) in last and (t, r["b"]) in last]
        pairs = [p for p in pairs if "defer" not in p]
        same("kappa of %s and %s" % (r["a"], r["b"]), r["kappa"], kappa(pairs))
        same("trials of them", [r["trials"], r["agreed"]], [len(pairs), sum(a == b for a, b in pairs)])
        same("kappa lies in its interval", r["interval"][0] < r["kappa"] < r["interval"][1], True)
    same("pairs", len(d["pairs"]), math.comb(len(PEOPLE), 2))
    same("disagreements", sorted(r["trial_id"] for r in d["disagreements"]), disputed)
    same("adjudicated", {r["trial_id"] for r in d["disagreements"] if r["adjudicated"]}, settled)
    same("gates", {r["gate"]: r["met"] for r in d["gates"]}, {
        "open<=0": False, "annotators>=1": False, "alpha>=0.2": alpha(units.values()) >= 0.2, "complete>=50%": True})
    same("open", d["gates"][0]["value"], len(disputed) - len(settled))
    check_queue(w, same, report, units, last, settled)
    report("review", "--gate", "alpha>=0.2", "--gate", "complete>=50%")
    board = report("leaderboard")
    reviewed = {t for t in units}
    for r in board["rows"]:
        own = [t["trial_id"] for t in w.counted() if (t["agent"]["model"], t["agent"]["adapter"]) == (r["model"], r["adapter"])]
        some = len(reviewed & set(own))
        same("policy", r["review_policy"].split(" by")[0], "%d of %d reviewed" % (some, len(own)) if some else "not reviewed")


def check_queue(w, same, report, units, last, settled):
    counted = {t["trial_id"]: t for t in w.counted()}
    is_open = {t for t, u in units.items() if len(set(u)) == 2} - settled
    missing = {t: max(0, 2 - len(units.get(t, []))) for t in counted}

    def order(t):
        return (t not in is_open, 0 if t in is_open else missing[t], counted[t]["experiment_id"],
                counted[t]["task"]["task_id"], t)
    want = sorted((t for t in counted if t not in settled and (t in is_open or missing[t])), key=order)
    same("queue", [r["trial_id"] for r in report("queue")["trials"]], want)
    seen = {t for t, who in last if who == "ana"}
    same("queue of ana", [r["trial_id"] for r in report("queue", "--reviewer", "ana")["trials"]],
         [t for t in want if t not in seen])
    blind = report("queue", "--blind")["trials"]
    same("nothing that biases", set(blind[0]), {"trial_id", "experiment_id", "task_id", "needs", "annotations_missing"})
    same("blind: annotations alone", {r["needs"] for r in blind}, {"annotation"})
    same("blind queue", len(blind), sum(missing[t] > 0 and t not in settled for t in counted))
