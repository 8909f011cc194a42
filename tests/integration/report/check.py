# A ledger of 2,000 trials and what is said of them later; every figure of the reports computed again from the records
# with nothing of ours (Student's t by its closed form for whole degrees of freedom, the generator and the bootstrap
# written anew) and held against what the program says, to 1e-9.
import hashlib
import json
import math
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile

import behaviour
import generate
import reviews

PROGRAM = os.path.abspath(os.environ.get("TRACKWAY", "build/trackway"))
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: %s %s" % (name, detail))


def near(a, b):
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return a == b
    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


def same(name, got, want):
    lists = isinstance(want, list) and isinstance(got, list)
    good = len(got) == len(want) and all(map(near, got, want)) if lists else near(got, want)
    check(name, good, "got %r, want %r" % (got, want))


def run(*args, status=0):
    done = subprocess.run([PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != status:
        print("%s: exit status %d: %s" % (" ".join(args), done.returncode, done.stderr))
        raise SystemExit(1)
    return done.stdout


def report(*args, status=0):
    return json.loads(run("report", *args, "--json", status=status))


# ---- statistics ----

def t_within(t, df):
    """P(|T| < t): Abramowitz and Stegun 26.7.3 and 26.7.4."""
    theta = math.atan(t / math.sqrt(df))
    c, s = math.cos(theta), math.sin(theta)
    if df == 1:
        return 2 * theta / math.pi
    term = c if df % 2 else 1.0
    total = term
    for i in range(3 if df % 2 else 2, df - 1, 2):
        term *= c * c * (i - 1) / i
        total += term
    return 2 / math.pi * (theta + s * total) if df % 2 else s * total


def t_quantile(df):
    low, high = 0.0, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if t_within(middle, df) < 0.95 else (low, middle)
    return low


def wilson(k, n):
    z = statistics.NormalDist().inv_cdf(0.975)
    p, d = k / n, 1 + z * z / n
    middle, half = (p + z * z / (2 * n)) / d, z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return [0.0 if k == 0 else middle - half, 1.0 if k == n else middle + half]


def rate_interval(groups, holds):
    """Wilson's; of repeated tasks Student's of 0 and 1, clustered, or Wilson's of as many as there are tasks."""
    groups = [[holds(x) for x in g] for g in groups]
    n, c, k = sum(map(len, groups)), len(groups), sum(map(sum, groups))
    if n == c:
        return wilson(k, n)
    p = k / n
    se = math.sqrt(sum((sum(g) - len(g) * p) ** 2 for g in groups) * c / (c - 1)) / n if c > 1 else 0
    if se < 1e-12:
        return wilson(p * c, c)
    return [max(0, p - t_quantile(c - 1) * se), min(1, p + t_quantile(c - 1) * se)]


MASK = (1 << 64) - 1


class Random:
    """xoshiro256** from SplitMix64."""

    def __init__(self, seed):
        self.s = []
        for _ in range(4):
            seed = (seed + 0x9e3779b97f4a7c15) & MASK
            z = seed
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9 & MASK
            z = (z ^ (z >> 27)) * 0x94d049bb133111eb & MASK
            self.s.append(z ^ (z >> 31))

    def next(self):
        s = self.s
        x = s[1] * 5 & MASK
        out = ((x << 7 | x >> 57) & MASK) * 9 & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = (s[3] << 45 | s[3] >> 19) & MASK
        return out

    def below(self, n):
        limit = n * (MASK // n)
        x = self.next()
        while x >= limit:
            x = self.next()
        return x % n


def seed_of(trials):
    text = "".join(i + "\n" for i in sorted(t["trial_id"] for t in trials))
    return struct.unpack(">Q", hashlib.sha256(text.encode()).digest()[:8])[0]


def quantile(values, p):
    at = p * (len(values) - 1)
    i = int(at)
    return values[i] if i + 1 == len(values) else values[i] + (at - i) * (values[i + 1] - values[i])


def bootstrap(groups, seed):
    r, n = Random(seed), len(groups)
    sums, counts = [math.fsum(g) for g in groups], [len(g) for g in groups]
    means = []
    for _ in range(10000):
        picks = [r.below(n) for _ in range(n)]
        means.append(sum(sums[i] for i in picks) / sum(counts[i] for i in picks))
    means.sort()
    return [max(0, quantile(means, 0.025)), min(1, quantile(means, 0.975))]


def by(trials, key):
    groups = {}
    for t in trials:
        groups.setdefault(key(t), []).append(t)
    return groups


def reward(t):
    return t["evaluation"]["reward"]


def task(t):
    return t["task"]["task_id"]


def tasks_of(trials):
    return [[reward(t) for t in ts] for _, ts in sorted(by(trials, task).items())]


def mean_interval(trials):
    groups, n = tasks_of(trials), len(trials)
    mean, c = math.fsum(map(reward, trials)) / n, len(groups)
    if n < 3 or c < 2:
        return None
    se = math.sqrt(math.fsum(math.fsum(x - mean for x in g) ** 2 for g in groups) * c / (c - 1)) / n
    if se < 1e-12: # three times 0.1 is not 0.3
        return None
    t = t_quantile(c - 1)
    return [max(0, mean - t * se), min(1, mean + t * se)]


def mixed(trials):
    kinds = by(trials, task)
    return sum(len({(t["task"]["task_revision"], t["outputs"]["agent_result"]["trackway"]["lock"]["verifier_sha256"])
                    for t in ts}) > 1 for ts in kinds.values())


def price_tables(trials):
    tables = {t["outputs"]["agent_result"]["trackway"]["price_table"] for t in trials}
    return sorted(tables - {None})


def total(trials, member):
    values = [t["cost"][member] for t in trials]
    return None if None in values else sum(values)


# ---- what must count ----

class World:
    """The records as sealed, and what was said of them later."""

    def __init__(self):
        self.records, self.superseded, self.erased, self.replaced = [], set(), set(), set()

    def live(self):
        gone = self.superseded | self.erased | self.replaced
        return [t for t in self.records if t["trial_id"] not in gone]

    def klass(self, t):
        return t["outputs"]["agent_result"]["trackway"]["class"]

    def infrastructure(self):
        return [t for t in self.live() if self.klass(t) == "infrastructure"]

    def partial(self):
        return [t for t in self.live() if t["completeness"] == "partial" and self.klass(t) != "infrastructure"]

    def counted(self):
        return [t for t in self.live() if t["completeness"] == "complete" and self.klass(t) != "infrastructure"]


def edges(sample):
    """Rows of one to a few trials: all pass, all fail, all alike, one task, tasks that were repeated unevenly."""
    rng, out = random.Random(5), []
    for m in range(40):
        rewards = (lambda: 1.0, lambda: 0.0, lambda: 0.1, lambda: float(rng.random() < 0.5), lambda: rng.random())[m % 5]
        for t in range(rng.choice((1, 1, 2, 3, 7))):
            for _ in range(rng.choice((1, 1, 2, 3))):
                r = json.loads(json.dumps(sample))
                r["trial_id"], r["experiment_id"] = "edge-%d" % len(out), "e-edge"
                r["task"]["task_id"], r["agent"]["model"] = "edge/%d" % t, "edge-%02d" % m
                r["evaluation"]["reward"] = rewards()
                r["cost"]["estimated_cost_usd"] = rng.choice((None, 0.0, 0.01))
                out.append(r)
    return out


def build(where):
    w = World()
    os.environ["TRACKWAY_KEYS"] = os.path.join(where, "keys")
    os.chdir(where)
    w.records = list(generate.records(2000))
    for t in w.records[::97]:
        t["outputs"]["agent_result"]["trackway"]["lock"]["verifier_sha256"] = "0" * 64
    counted = w.counted()
    for n in range(24):
        r = json.loads(json.dumps(counted[0]))
        r["trial_id"], r["experiment_id"] = "once-%d" % n, "e-once"
        r["task"]["task_id"] = "once/task-%d%d" % (n // 2 // 5, n // 2)
        r["agent"]["model"] = ("m-large", "m-small")[n % 2]
        r["evaluation"]["reward"] = 1.0 if n % 2 == 0 and n != 4 or n in (5, 7) else 0.5
        w.records.append(r)
    w.records += edges(counted[0])
    w.records += behaviour.make(counted[0])
    for n, old in enumerate(counted[100:105]):
        w.records.append(generate.regrade(old, "regrade-%d" % n, 0.25 * n))
        w.replaced.add(old["trial_id"])
    w.records.append(generate.regrade(w.records[-1], "regrade-again", 1.0)) # of a regrade: replaces that
    w.replaced.add("regrade-4")
    w.records.append(generate.regrade(counted[110], "stranger", 1.0)) # of another model's trial: replaces nothing
    w.records[-1]["agent"]["model"] = "m-stranger"
    with open("records.jsonl", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(r) + "\n" for r in w.records)
    run("-q", "ledger", "init", "--origin", "lab.example.org/trials")
    run("-q", "ledger", "add", "records.jsonl")
    for old, new in ((counted[200], counted[204]), (counted[300], counted[304])):
        run("-q", "ledger", "supersede", old["trial_id"], new["trial_id"], "--reason", "asked twice")
        w.superseded.add(old["trial_id"])
    run("-q", "ledger", "erase", counted[400]["trial_id"], "--reason", "asked for", "--force")
    w.erased.add(counted[400]["trial_id"])
    return w


# ---- checks ----

def check_row(row, trials, attempts, bootstrapped=False):
    n, name = len(trials), row["model"] + "/" + row["adapter"]
    passes, zeros = sum(reward(t) >= 1 for t in trials), sum(reward(t) <= 0 for t in trials)
    groups = tasks_of(trials)
    priced = [t["cost"]["estimated_cost_usd"] for t in trials if t["cost"]["estimated_cost_usd"] is not None]
    want = {
        "trials": n, "tasks": len(groups), "attempts": attempts, "passed": passes, "zero": zeros,
        "mean_reward": math.fsum(map(reward, trials)) / n, "pass_rate": passes / n, "zero_rate": zeros / n,
        "pass_interval": rate_interval(groups, lambda x: x >= 1),
        "zero_interval": rate_interval(groups, lambda x: x <= 0),
        "mean_reward_of_attempts": math.fsum(map(reward, trials)) / attempts,
        "pass_rate_of_attempts": passes / attempts,
        "repetitions_least": min(map(len, groups)), "repetitions_most": max(map(len, groups)),
        "cost_usd": math.fsum(priced) if priced else None,
        "priced_trials": len(priced),
        "tokens_in": total(trials, "tokens_in"), "tokens_out": total(trials, "tokens_out"),
        "mean_seconds": math.fsum(t["timing"]["total_seconds"] for t in trials) / n,
        "mixed_tasks": mixed(trials), "price_tables": price_tables(trials),
        "advisor_calls": total(trials, "advisor_calls"),
        "experiments": sorted({t["experiment_id"] for t in trials}),
        "verifiers": sorted({t["outputs"]["agent_result"]["trackway"]["lock"]["verifier_sha256"] for t in trials}),
        "isolation": sorted({t["outputs"]["agent_result"]["trackway"]["isolation"] for t in trials}),
    }
    if bootstrapped:
        want["seed"] = "%016x" % seed_of(trials)
        want["mean_reward_interval"] = bootstrap(groups, seed_of(trials))
    else:
        want["mean_reward_interval"] = mean_interval(trials)
        want["seed"] = None
    for key, value in want.items():
        same("%s: %s" % (name, key), row[key], value)


def key_of(t):
    return t["agent"]["model"], t["agent"]["adapter"]


def check_ranks(rows):
    means = [round(r["mean_reward"], 12) for r in rows] # last digits break no tie
    for r, mean in zip(rows, means):
        same("rank of " + r["model"], r["rank"], 1 + sum(m > mean for m in means))
        same("ties of " + r["model"], r["tied_with"], means.count(mean) - 1)
    same("order", means, sorted(means, reverse=True))


def check_leaderboard(w):
    d = report("leaderboard")
    groups = by(w.counted(), key_of)
    apart = {"partial": by(w.partial(), key_of), "infrastructure": by(w.infrastructure(), key_of)}
    same("rows", sorted((r["model"], r["adapter"]) for r in d["rows"]), sorted(groups))
    for r in d["rows"]:
        key = (r["model"], r["adapter"])
        check_row(r, groups[key], len(groups[key]) + sum(len(a.get(key, [])) for a in apart.values()))
    check_ranks(d["rows"])
    for name, of in apart.items():
        same(name, {(r["model"], r["adapter"]): r["trials"] for r in d[name]}, {k: len(v) for k, v in of.items()})
    same("counts", d["counts"], {
        "trials": len(w.records), "counted": len(w.counted()), "partial": len(w.partial()),
        "infrastructure": len(w.infrastructure()), "superseded": len(w.superseded), "regraded": len(w.replaced),
        "completed_later": 0, "erased": len(w.erased)})
    same("erased", [r["trial_id"] for r in d["erased"]], sorted(w.erased))


def check_slices(w):
    for args, keep in (
            (["--experiment", "e-1"], lambda t: t["experiment_id"] == "e-1"),
            (["--task", "energy/"], lambda t: task(t).startswith("energy/")),
            (["--model", "m-mid"], lambda t: t["agent"]["model"] == "m-mid"),
            (["--since", "2026-05-15T00:00:00Z"], lambda t: t["timestamp"] >= "2026-05-15T00:00:00Z")):
        groups = by(filter(keep, w.counted()), key_of)
        others = by(filter(keep, w.partial() + w.infrastructure()), key_of)
        d = report("leaderboard", *args)
        same("rows of %s" % args, len(d["rows"]), len(groups))
        for r in d["rows"]:
            key = (r["model"], r["adapter"])
            check_row(r, groups[key], len(groups[key]) + len(others.get(key, [])))
    d = report("leaderboard", "--task", "energy/task-00", "--ci", "bootstrap")
    groups = by((t for t in w.counted() if task(t).startswith("energy/task-00")), key_of)
    others = by((t for t in w.partial() + w.infrastructure() if task(t).startswith("energy/task-00")), key_of)
    for r in d["rows"]:
        key = (r["model"], r["adapter"])
        check_row(r, groups[key], len(groups[key]) + len(others.get(key, [])), True)


def check_pass_k(w):
    d = report("leaderboard", "--k", "2")
    groups = by(w.counted(), key_of)
    for r in d["rows"]:
        tasks = [(len(g), sum(x >= 1 for x in g)) for g in tasks_of(groups[r["model"], r["adapter"]]) if len(g) >= 2]
        at = [1 - math.comb(n - c, 2) / math.comb(n, 2) for n, c in tasks]
        every = [math.comb(c, 2) / math.comb(n, 2) for n, c in tasks]
        same("pass@2", r["pass_at_k"], statistics.fmean(at) if tasks else None)
        same("pass^2", r["pass_all_k"], statistics.fmean(every) if tasks else None)
        same("tasks of pass@2", r["k_tasks"], len(tasks))


def check_summary(w):
    d = report("summary")
    for array, key, of in (("experiments", "experiment_id", lambda t: t["experiment_id"]), ("tasks", "task_id", task)):
        groups, alive = by(w.counted(), of), by(w.counted() + w.partial() + w.infrastructure(), of)
        same(array, {r[key]: r["attempts"] for r in d[array]}, {k: len(v) for k, v in alive.items()})
        for r in d[array]:
            trials = groups.get(r[key], [])
            same("trials of " + r[key], r["trials"], len(trials))
            same("mixed tasks of " + r[key], r["mixed_tasks"], mixed(trials))
            if trials:
                same("reward of " + r[key], r["mean_reward"], math.fsum(map(reward, trials)) / len(trials))
                same("interval of " + r[key], r["mean_reward_interval"], mean_interval(trials))


def check_cost(w):
    d, groups = report("cost"), by(w.counted(), key_of)
    points = {}
    for r in d["rows"]:
        trials = groups[r["model"], r["adapter"]]
        usd, solved = total(trials, "estimated_cost_usd"), len({task(t) for t in trials if reward(t) >= 1})
        advisor = total(trials, "advisor_input_tokens") + total(trials, "advisor_output_tokens")
        tokens = total(trials, "tokens_in") + total(trials, "tokens_out")
        same("solved", r["solved_tasks"], solved)
        same("prices", r["price_tables"], price_tables(trials))
        same("cost of a solved task", r["cost_usd_per_solved_task"], None if usd is None or not solved else usd / solved)
        same("advisor's share", r["advisor_share"], advisor / (advisor + tokens))
        same("tokens", r["mean_tokens"], tokens / len(trials))
        same("cached", r["cache_read_share"], total(trials, "cache_read_tokens") / total(trials, "tokens_in"))
        points[r["model"], r["adapter"]] = (round(r["mean_reward"], 12), { # last digits beat nobody
            "cost": None if usd is None else round(usd / len(trials), 12), "tokens": round(tokens / len(trials), 9),
            "seconds": round(r["mean_seconds"], 9)})
    for r in d["rows"]:
        mean, own = points[r["model"], r["adapter"]]
        for figure in ("cost", "tokens", "seconds"):
            beaten = any(x[figure] is not None and own[figure] is not None and m >= mean and x[figure] <= own[figure] and
                         (m > mean or x[figure] < own[figure]) for m, x in points.values())
            same("frontier of " + figure, r["on_frontier_" + figure], None if own[figure] is None else not beaten)


def exact_mcnemar(a, b):
    n = a + b
    return 1 if n == 0 else min(1, 2 * sum(math.comb(n, i) for i in range(min(a, b) + 1)) / 2 ** n)


def check_compare(w):
    d = report("compare", "m-large", "model=m-small,adapter=loop")
    sides = [by((t for t in w.counted() if t["agent"]["model"] == m), task) for m in ("m-large", "m-small")]
    both = sorted(set(sides[0]) & set(sides[1]))
    pairs = [[statistics.fmean(map(reward, s[k])) for k in both] for s in sides]
    diff = [a - b for a, b in zip(*pairs)]
    test = d["tests"][0]
    same("mixed", d["outcomes"]["mixed_tasks"], mixed([t for s in sides for k in both for t in s[k]]))
    sd, n = statistics.stdev(diff), len(diff)
    mean = statistics.fmean(diff)
    half = t_quantile(n - 1) * sd / math.sqrt(n)
    same("tasks of both", test["tasks"], n)
    same("difference", test["difference"], mean)
    same("interval of it", test["interval"], [mean - half, mean + half])
    same("effect", test["effect"], mean / sd)
    z = statistics.NormalDist().inv_cdf
    same("detectable", test["detectable"], (z(1 - 0.05 / d["outcomes"]["tests"] / 2) + z(0.8)) * sd / math.sqrt(n))
    ps = [t["p"] for t in d["tests"]]
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    holm, most = [0] * len(ps), 0
    for rank, i in enumerate(order):
        most = max(most, min(1, (len(ps) - rank) * ps[i]))
        holm[i] = most
    same("Holm", [t["holm"] for t in d["tests"]], holm)
    same("answer", test["answer"], "A is better")
    check_once(w, "once/", False)
    check_once(w, "once/task-00", True)


def check_once(w, prefix, is_few):
    """Tasks that each side tried once: McNemar's test decides about passes."""
    d = report("compare", "m-large", "m-small", "--experiment", "e-once", "--task", prefix)
    x, y = [{task(t): reward(t) for t in w.counted() if t["agent"]["model"] == m and task(t).startswith(prefix)}
            for m in ("m-large", "m-small")]
    only = [sum(a[k] >= 1 > b[k] for k in x) for a, b in ((x, y), (y, x))]
    same("only A, only B", [d["outcomes"]["only_a"], d["outcomes"]["only_b"]], only)
    same("McNemar", d["outcomes"]["mcnemar"], exact_mcnemar(*only))
    same("McNemar decides", d["tests"][1]["p"], exact_mcnemar(*only))
    same("few tasks", d["tests"][0]["answer"] == "not enough data", is_few)


def check_damage():
    name = next(os.path.join(p, f) for p, _, fs in os.walk("ledger/records") for f in fs)
    with open(name, "rb") as f:
        text = f.read()
    os.chmod(name, 0o644)
    with open(name, "r+b") as f:
        zero, one = b'"reward": 0', b'"reward": 1'
        f.write(text.replace(zero, one, 1) if zero in text else text.replace(one, zero, 1))
    run("report", "leaderboard", status=3)
    check("a changed record gives no report", True)
    with open(name, "r+b") as f:
        f.write(text)
    run("report", "leaderboard", "-q")


def main():
    with tempfile.TemporaryDirectory() as where:
        w = build(where)
        check_leaderboard(w)
        check_slices(w)
        check_pass_k(w)
        check_summary(w)
        check_cost(w)
        check_compare(w)
        behaviour.check(w, run, report, check)
        same("the same bytes twice", run("report", "leaderboard"), run("report", "leaderboard"))
        reviews.check(PROGRAM, w, same, report)
        check_damage()
        os.chdir("/")
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
