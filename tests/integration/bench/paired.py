"""Holds 'trackway bench compare' against the formulas, written down again here: counts, Wilson, errors clustered by
prompt, Student's t, exact McNemar and mid-p, sign flips, the bootstrap, the median's interval, Holm, what can be seen."""

import hashlib
import itertools
import json
import math
import os
import random
import subprocess

from running import program

CASES = 12
MASK = (1 << 64) - 1
Z = 1.959963984540054
RESAMPLES = 10000

# ---- distributions, by other ways than the program's ----


def normal_quantile(p):
    low, high = -10.0, 10.0
    for _ in range(200):
        middle = (low + high) / 2
        if 0.5 * math.erfc(-middle / math.sqrt(2)) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_cdf(t, df):
    """For whole degrees of freedom: the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4."""
    theta = math.atan2(t, math.sqrt(df))
    c = math.cos(theta)
    if df % 2:
        total, term = 0.0, c
        for j in range(1, (df - 1) // 2 + 1):
            total += term
            term *= c * c * (2 * j) / (2 * j + 1)
        a = 2 / math.pi * (theta + (math.sin(theta) * total if df > 1 else 0))
    else:
        total, term = 0.0, 1.0
        for j in range(1, df // 2 + 1):
            total += term
            term *= c * c * (2 * j - 1) / (2 * j)
        a = math.sin(theta) * total
    return 0.5 + a / 2


def t_quantile(p, df):
    low, high = 0.0, 1e5
    for _ in range(300):
        middle = (low + high) / 2
        if t_cdf(middle, df) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def wilson(k, n):
    p, d = k / n, 1 + Z * Z / n
    middle, half = (p + Z * Z / 2 / n) / d, Z * math.sqrt(p * (1 - p) / n + Z * Z / 4 / n / n) / d
    return [0 if k == 0 else middle - half, 1 if k == n else middle + half]


def mcnemar(b, c):
    n, least = b + c, min(b, c)
    if n == 0:
        return 1.0, 1.0
    tail = sum(math.comb(n, i) for i in range(least + 1)) / 2**n
    point = math.comb(n, least) / 2**n
    return min(1.0, 2 * tail), min(1.0, 2 * tail - point)


def ranks(n):
    """Order statistics around the median: the largest low and the least high with at most .025 beyond each."""
    below = list(itertools.accumulate(math.comb(n, i) / 2**n for i in range(n + 1)))
    low = max([r for r in range(1, n + 1) if below[r - 1] <= 0.025], default=0)
    high = min([r for r in range(1, n + 1) if 1 - below[r - 1] <= 0.025], default=n + 1)
    return low, high


# ---- chance: the generator that the report names, from the seed that it prints ----


class Xoshiro:
    def __init__(self, seed):
        self.s = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            z = seed
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            self.s.append(z ^ (z >> 31))

    @staticmethod
    def rotate(x, by):
        return ((x << by) | (x >> (64 - by))) & MASK

    def next(self):
        s = self.s
        out = (self.rotate((s[1] * 5) & MASK, 7) * 9) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self.rotate(s[3], 45)
        return out

    def below(self, n):
        limit = n * (MASK // n)
        while (x := self.next()) >= limit:
            pass
        return x % n


def permutation(sums, seed):
    seen = abs(sum(sums)) * (1 - 1e-12)
    n = len(sums)
    if 2**n <= RESAMPLES:
        hits = sum(abs(sum(map(math.prod, zip(signs, sums)))) >= seen for signs in itertools.product((1, -1), repeat=n))
        return hits / 2**n
    rng, hits = Xoshiro(seed), 0
    for _ in range(RESAMPLES):
        total, bits = 0.0, 0
        for i, x in enumerate(sums):
            bits = bits >> 1 if i % 64 else rng.next()
            total += -x if bits & 1 else x
        hits += abs(total) >= seen
    return (hits + 1) / (RESAMPLES + 1)


def quantile(x, p):
    k = (len(x) - 1) * p
    i = int(k)
    return x[i] + (x[min(i + 1, len(x) - 1)] - x[i]) * (k - i)


def bootstrap(sums, counts, seed):
    rng, n, means = Xoshiro(seed), len(sums), []
    for _ in range(RESAMPLES):
        picks = [rng.below(n) for _ in range(n)]
        means.append(sum(sums[i] for i in picks) / sum(counts[i] for i in picks))
    means.sort()
    return [quantile(means, 0.025), quantile(means, 0.975)]


def holm(ps):
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    out, worst = [0.0] * len(ps), 0.0
    for rank, i in enumerate(order):
        worst = max(worst, (len(ps) - rank) * ps[i])
        out[i] = min(1.0, worst)
    return out


# ---- runs ----


def make_row(rng, run, prompt, repetition, skill, slow):
    row = {"record_type": "result", "run_id": run, "provider": "mock", "model": "m", "thinking_level": None,
           "prompt_id": f"p{prompt}", "prompt_name": "x", "availability_status": "ok", "started_at_ms": 1000,
           "ended_at_ms": 2000, "success": True, "failure_type": None, "violation": None, "input_tokens": 1,
           "output_tokens": 1, "raw_output": "x", "parsed_output": None, "tool_calls": [], "tool_call_count": 0,
           "attempts": 1, "repetition": repetition, "scheduled_at_ms": 1000, "tool_call_source": "text"}
    row["e2e_ms"] = int(500 + 100 * (prompt % 7) + slow + rng.gauss(0, 40))
    row["ttft_ms"] = row["e2e_ms"] // 3
    row["objective_pass"] = rng.random() < skill
    if not row["objective_pass"]:
        row["violation"] = "no"
    row["tool_use_success"] = rng.random() < skill
    if prompt % 3 == 0:
        row["expects_tools"] = True
    if prompt % 5:
        row["cost_usd"] = round(0.001 + 0.0001 * rng.random(), 6)
    if rng.random() < 0.07:
        row.update(availability_status="error", success=False, failure_type="http_500", objective_pass=None,
                   violation=None, tool_use_success=False, raw_output="", ttft_ms=None)
    return row


def make_runs(rng, where):
    prompts, repeats = rng.choice([3, 8, 12, 20, 45]), rng.choice([1, 1, 2, 3])
    hard = [rng.random() for _ in range(prompts)]
    lift, slow = rng.choice([0, 0.15, 0.5]), rng.choice([0, 30, 80])
    runs = []
    for which in "ab":
        rows = []
        for p in range(prompts):
            for k in range(1, repeats + 1):
                if rng.random() < 0.97:
                    skill = min(1, hard[p] + (lift if which == "a" else 0))
                    rows.append(make_row(rng, which, p, k, skill, slow if which == "b" else 0))
        rng.shuffle(rows)
        os.makedirs(f"{where}/{which}", exist_ok=True)
        lines = [json.dumps(r) for r in rows]
        with open(f"{where}/{which}/results.jsonl", "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in lines)
        runs.append((rows, lines))
    return runs


# ---- the comparison again ----


def value(row, metric, fail, judged, expecting):
    good = row["availability_status"] == "ok" and row["success"]
    if metric == "pass":
        if not good:
            return 0.0 if fail and row["prompt_id"] in judged else None
        return None if row["objective_pass"] is None else float(row["objective_pass"])
    if metric == "tools":
        if row["prompt_id"] not in expecting:
            return None
        if row["availability_status"] != "ok":
            return 0.0 if fail else None
        return float(row["tool_use_success"])
    key = {"latency": "e2e_ms", "ttft": "ttft_ms", "cost": "cost_usd"}[metric]
    return row.get(key) if good else None


def mean_clustered(x, cluster, count):
    n, mean = len(x), math.fsum(x) / len(x)
    if count < 2:
        return mean, None, None
    sums = [0.0] * count
    for v, c in zip(x, cluster):
        sums[c] += v - mean
    se = math.sqrt(sum(s * s for s in sums) * count / (count - 1)) / n
    half = t_quantile(0.975, count - 1) * se
    return mean, se, [mean - half, mean + half]


def expect(rows_a, rows_b, order, metric, fail, seed):
    judged = {r["prompt_id"] for r in rows_a + rows_b if r["objective_pass"] is not None}
    expecting = {r["prompt_id"] for r in rows_a + rows_b if r.get("expects_tools")}
    index = {(r["prompt_id"], r["repetition"]): r for r in rows_b}
    pairs = []
    for r in sorted(rows_a, key=lambda r: (order[r["prompt_id"]], r["repetition"])):
        other = index.get((r["prompt_id"], r["repetition"]))
        if other:
            x, y = (value(v, metric, fail, judged, expecting) for v in (r, other))
            if x is not None and y is not None:
                pairs.append((r["prompt_id"], x, y))
    ids = list(dict.fromkeys(p for p, _, _ in pairs))
    t = {"metric": metric, "errors": "as_failures" if fail else "excluded", "pairs": len(pairs), "prompts": len(ids)}
    if not pairs:
        return t
    cluster = [ids.index(p) for p, _, _ in pairs]
    a, b = [x for _, x, _ in pairs], [y for _, _, y in pairs]
    d = [x - y for x, y in zip(a, b)]
    sums, counts = [0.0] * len(ids), [0] * len(ids)
    for c, v in zip(cluster, d):
        sums[c] += v
        counts[c] += 1
    repeats = len(pairs) > len(ids)
    mean, se, interval = mean_clustered(d, cluster, len(ids))
    t.update(clustered=repeats, a_mean=sum(a) / len(a), b_mean=sum(b) / len(b), mean=mean, se=se)
    if metric in ("pass", "tools"):
        t.update(both=sum(x and y for x, y in zip(a, b)), only_a=sum(x > y for x, y in zip(a, b)),
                 only_b=sum(x < y for x, y in zip(a, b)), neither=sum(not x and not y for x, y in zip(a, b)))
        t["interval"] = interval and [max(interval[0], -1), min(interval[1], 1)]
        if repeats:
            t["p"] = t["permutation_p"] = permutation(sums, seed)
            t["bootstrap"] = bootstrap(sums, counts, seed)
        else:
            t["a_interval"], t["b_interval"] = wilson(sum(a), len(a)), wilson(sum(b), len(b))
            t["mcnemar_p"], t["mcnemar_mid_p"] = mcnemar(t["only_a"], t["only_b"])
            t["p"] = t["mcnemar_p"]
    else:
        means = sorted(s / c for s, c in zip(sums, counts))
        low, high = ranks(len(means))
        t["interval"] = interval
        t["median"] = quantile(means, 0.5)
        t["median_interval"] = [means[low - 1], means[high - 1]] if low >= 1 and high <= len(means) else None
        t["p"] = t["permutation_p"] = permutation(sums, seed)
    return t


def plan(t, family):
    if t["se"]:
        z = normal_quantile(1 - 0.05 / family / 2) + normal_quantile(0.8)
        t["detectable"] = z * t["se"]
        if t["mean"]:
            t["needed"] = math.ceil((z * t["se"] * math.sqrt(t["prompts"]) / t["mean"]) ** 2)


# ---- holding one against the other ----


def near(got, want, slack=1e-9):
    if want is None or got is None:
        return got is None and want is None
    if isinstance(want, (list, tuple)):
        return all(near(g, w, slack) for g, w in zip(got, want))
    return abs(got - want) <= slack * max(1, abs(want))


def differences(got, t):
    pairs = [("pairs", got["pairs"], t["pairs"]), ("prompts", got["prompts"], t["prompts"])]
    if t["pairs"]:
        pairs += [("a", got["a"]["mean"], t["a_mean"]), ("b", got["b"]["mean"], t["b_mean"]),
                  ("mean", got["difference"]["mean"], t["mean"]), ("se", got["difference"]["se"], t["se"]),
                  ("interval", got["difference"]["interval"], t["interval"]), ("p", got["p"], t["p"]),
                  ("holm", got["holm_p"], t.get("holm"))]
        pairs += [(k, got[k], t[k]) for k in ("both", "only_a", "only_b", "neither", "mcnemar_p", "mcnemar_mid_p",
                                              "permutation_p", "median", "median_interval") if k in t]
        if "a_interval" in t:
            pairs += [("a's", got["a"]["interval"], t["a_interval"]), ("b's", got["b"]["interval"], t["b_interval"])]
        if "bootstrap" in t:
            pairs.append(("bootstrap", got["bootstrap_interval"], t["bootstrap"]))
        if "detectable" in t:
            pairs.append(("detectable", got["detectable"], t["detectable"]))
        if "needed" in t and t["needed"] < 1e6:
            pairs.append(("needed", got["needed_prompts"], t["needed"]))
    return [f"{k}: {g!r} is not {w!r}" for k, g, w in pairs if not near(g, w, 1e-7)]


def check(rng, where):
    (rows_a, lines_a), (rows_b, lines_b) = make_runs(rng, where)
    metrics = ["pass", "tools", "latency", "ttft", "cost"]
    done = subprocess.run([program(), "bench", "compare", "--json", f"{where}/a", f"{where}/b"]
                          + [w for m in metrics for w in ("--metric", m)], capture_output=True, text=True, check=False)
    if done.returncode:
        return [f"exit {done.returncode}: {done.stderr}"], 0
    report = json.loads(done.stdout)
    seed = int.from_bytes(hashlib.sha256("".join(x + "\n" for x in lines_a + lines_b).encode()).digest()[:8], "big")
    order = {}
    for r in rows_a + rows_b:
        order.setdefault(r["prompt_id"], len(order))
    got, wrong = report["pairs"][0]["tests"], []
    if int(report["seed"], 16) != seed:
        wrong.append("the seed is not that of the rows")
    wanted = [expect(rows_a, rows_b, order, t["metric"], t["errors"] == "as_failures", seed) for t in got]
    family = [t for t in wanted if t["prompts"] >= 6]
    for t, p in zip(family, holm([t["p"] for t in family])):
        t["holm"] = p
    for t in wanted:
        if t["pairs"]:
            plan(t, max(1, len(family)))
    if report["tests"] != len(family):
        wrong.append(f"{report['tests']} tests, not {len(family)}")
    for g, t in zip(got, wanted):
        wrong += [f"{t['metric']} ({t['errors']}): {x}" for x in differences(g, t)]
    return wrong, len(got)


def run(suite):
    rng, bad, tests = suite.random("paired"), [], 0
    for case in range(CASES):
        wrong, n = check(rng, suite.directory("paired"))
        tests += n
        bad += [(f"case {case}", w) for w in wrong[:5]]
    if tests < 3 * CASES:
        bad.append(("tests", f"only {tests} were compared"))
    suite.check("comparisons: every figure as Python has it", bad, tests)
