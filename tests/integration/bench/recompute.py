#!/usr/bin/env python3
"""Makes the figures of summary.json anew from results.jsonl and tells what differs.

    recompute.py RUN...        prints the differences; exit status 1 when there are some
    compare(run_dir)           the same as a list of sentences

Written from the words of doc/formats/summary.md and of textbooks, with nothing but the standard library, so that a
mistake in the program is not made here as well.
"""

import datetime
import json
import math
import os
import re
import sys

Z = 1.959963984540054  # of a two-sided interval of 95 %
TIERS = ((0.8, 1), (0.5, 2), (0.0, 3))


def rows_of(run_dir):
    with open(os.path.join(run_dir, "results.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


# ---- methods ----

def wilson(k, n):
    if n == 0:
        return None
    p = k / n
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return [0.0 if k == 0 else middle - half, 1.0 if k == n else middle + half]


def percentile(sorted_values, p):
    """Linear between neighbours, k = (n - 1) p / 100."""
    k = (len(sorted_values) - 1) * p / 100
    low = math.floor(k)
    high = min(low + 1, len(sorted_values) - 1)
    return sorted_values[low] + (sorted_values[high] - sorted_values[low]) * (k - low)


def binomial(n, p):
    """The probabilities of 0 to n successes."""
    logs = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p)
            + (n - k) * math.log1p(-p) for k in range(n + 1)]
    return [math.exp(x) for x in logs]


def rank_interval(sorted_values, p):
    """Between which order statistics the percentile lies with 95 %; None when n is too small for one of them."""
    n = len(sorted_values)
    chances = binomial(n, p / 100)
    low = high = None
    below = 0.0  # P(X < rank)
    for rank in range(1, n + 1):
        below += chances[rank - 1]
        if below <= 0.025:
            low = rank
    above = 0.0  # P(X >= rank)
    for rank in range(n, 0, -1):
        above += chances[rank]
        if above <= 0.025:
            high = rank
    if low is None or high is None:
        return None
    return [sorted_values[low - 1], sorted_values[high - 1]]


def t_quantile_975(df):
    """Where Student's t has 97.5 % below it: the density is integrated by Simpson's rule and the place halved."""
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)

    def mass(t):  # from 0 to t; x = tan(a) sqrt(df) makes the range finite
        steps, end = 2000, math.atan(t / math.sqrt(df))
        width = end / steps
        total = 0.0
        for i in range(steps + 1):
            weight = 1 if i in (0, steps) else 4 if i % 2 else 2
            total += weight * math.cos(i * width) ** (df - 1)
        return scale * math.sqrt(df) * total * width / 3

    low, high = 0.0, 1000.0
    for _ in range(100):
        middle = (low + high) / 2
        if mass(middle) < 0.475:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def mean_of(clusters, repeated):
    """The mean of noughts and ones with its error; each list is a prompt's."""
    values = [x for c in clusters for x in c]
    n = len(values)
    if n == 0:
        return None
    mean = sum(values) / n
    groups = [c for c in clusters if c] if repeated else [[x] for x in values]
    count = len(groups)
    out = {"mean": mean, "standard_error": None, "interval": None, "n": n, "clusters": count}
    if count > 1:
        squares = sum(sum(x - mean for x in c) ** 2 for c in groups)
        error = math.sqrt(squares * count / (count - 1)) / n
        out["standard_error"] = error
        half = t_quantile_975(count - 1) * error
        out["interval"] = [mean - half, mean + half]
    return out


def pass_at(clusters, repeats):
    if repeats < 2:
        return None
    ks, k = [], 1
    while k < repeats:
        ks.append(k)
        k *= 2
    out = []
    for k in ks + [repeats]:
        fit = [c for c in clusters if len(c) >= k]
        if not fit:
            break
        total = [(math.comb(len(c), k), math.comb(len(c) - sum(c), k), math.comb(sum(c), k)) for c in fit]
        out.append({"k": k, "any_of_k": sum(1 - none / every for every, none, _ in total) / len(fit),
                    "all_of_k": sum(full / every for every, _, full in total) / len(fit), "prompts": len(fit)})
    return out


# ---- figures ----

def spread(values):
    values = sorted(values)
    if not values:
        return {"p50": None, "p95": None, "p99": None, "mean": None, "n": 0,
                "p50_interval": None, "p95_interval": None, "p99_interval": None}
    out = {f"p{p}": percentile(values, p) for p in (50, 95, 99)}
    out["mean"] = sum(values) / len(values)
    out["n"] = len(values)
    for p in (50, 95, 99):
        out[f"p{p}_interval"] = rank_interval(values, p)
    return out


def rate(k, n):
    return k / n if n else None


def wall(rows):
    timed = [r for r in rows if r["started_at_ms"] > 0]
    if not timed:
        return None
    return max(r["ended_at_ms"] for r in timed) - min(r["started_at_ms"] for r in timed)


def resources(run_dir, key, when):
    tag = "__".join((key[0], key[1], key[2] or "none"))
    path = os.path.join(run_dir, "resources_%s_%s.txt" % (re.sub(r"[^A-Za-z0-9_.-]+", "_", tag), when))
    if not os.path.exists(path):
        return None
    out = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            name, _, value = line.partition(":")
            if name in ("mem_total_bytes", "mem_available_bytes", "disk_free_bytes"):
                out[name] = int(value) if value.strip().isdigit() else None
    return out


def tier_of(share):
    return None if share is None else next(tier for from_, tier in TIERS if share >= from_)


def is_unsure(interval):
    return interval is not None and tier_of(interval[0]) != tier_of(interval[1])


def cost_of(rows):
    priced = [r for r in rows if r.get("cost_usd") is not None]
    if not priced:
        return None
    return {"usd": sum(r["cost_usd"] for r in priced), "n": len(priced),
            "estimated": any(r.get("cost_estimated") for r in priced)}


def tokens_per_second(good):
    timed = [r for r in good if r["output_tokens"] is not None and r["e2e_ms"] > 0]
    spent = sum(r["e2e_ms"] for r in timed)
    return sum(r["output_tokens"] for r in timed) / spent * 1000 if spent else None


def tool_figures(rows, ok):
    expect = [r for r in ok if r.get("expects_tools")]
    every = [r for r in rows if r.get("expects_tools")]
    used, used_all = (sum(r["tool_use_success"] for r in x) for x in (expect, every))
    tier = tier_of(rate(used, len(expect)))
    return {
        "tool_use_success_rate": rate(used, len(expect)), "tool_use_interval": wilson(used, len(expect)),
        "tool_tier": tier, "recommended_for_subagents": tier == 1,
        "tool_use_n": len(expect), "tool_use_success_rate_all": rate(used_all, len(every)),
        "tool_use_all_interval": wilson(used_all, len(every)), "tool_use_all_n": len(every),
        "tool_tier_uncertain": is_unsure(wilson(used, len(expect))),
    }


def pass_figures(rows, good, unjudged):
    judged = [r for r in good if r["objective_pass"] is not None]
    passed = sum(r["objective_pass"] for r in judged)
    counted = [r for r in rows if r["prompt_id"] not in unjudged]
    prompts, answers = {}, {}
    for r in rows:
        prompts[r["prompt_id"]] = prompts.get(r["prompt_id"], 0) + 1
    for r in judged:
        answers.setdefault(r["prompt_id"], []).append(int(r["objective_pass"]))
    repeats = max(prompts.values())
    return {
        "objective_pass_rate": rate(passed, len(judged)), "objective_pass_interval": wilson(passed, len(judged)),
        "objective_pass_n": len(judged), "objective_pass_rate_all": rate(passed, len(counted)),
        "objective_pass_all_interval": wilson(passed, len(counted)), "objective_pass_all_n": len(counted),
        "repeats": repeats, "objective_pass_mean": mean_of(list(answers.values()), repeats > 1),
        "pass_at": pass_at(list(answers.values()), repeats),
    }


def entry_of(run_dir, key, rows, unjudged):
    def status(*words):
        return [r for r in rows if r["availability_status"] in words]

    ok = status("ok")
    good = [r for r in ok if r["success"]]
    waited = [max(0, r["ended_at_ms"] - r["scheduled_at_ms"]) for r in good if r.get("scheduled_at_ms") is not None]
    out = {
        "provider": key[0], "model": key[1], "thinking_level": key[2], "n_total": len(rows), "n_ok": len(ok),
        "n_success": len(good), "n_skipped_unavailable": len(status("skipped_unavailable")),
        "n_rate_limited": len(status("rate_limited")), "n_error": len(status("error", "auth_error")),
        "n_auth_error": len(status("auth_error")), "success_rate_ok": rate(len(good), len(ok)),
        "success_rate_interval": wilson(len(good), len(ok)), "wall_clock_ms": wall(rows),
        "latency_ms": spread([r["e2e_ms"] for r in good]),
        "ttft_ms": spread([r["ttft_ms"] for r in good if r["ttft_ms"] is not None]), "waited_ms": spread(waited),
        "output_tokens_per_second": tokens_per_second(good), "cost": cost_of(rows),
        "n_unpriced": sum(r.get("cost_usd") is None and bool(r["input_tokens"] or r["output_tokens"]) for r in rows),
        "input_tokens": sum(r["input_tokens"] or 0 for r in rows),
        "output_tokens": sum(r["output_tokens"] or 0 for r in rows),
        "resources_before": resources(run_dir, key, "before"), "resources_after": resources(run_dir, key, "after"),
    }
    out.update(tool_figures(rows, ok))
    out.update(pass_figures(rows, good, unjudged))
    return out


def bottleneck_of(run_dir):
    path = os.path.join(run_dir, "events.jsonl")
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as f:
        return any(json.loads(line).get("was_bottleneck") is True for line in f if line.strip())


def recompute(run_dir):
    rows = rows_of(run_dir)
    groups = {}
    for r in rows:
        groups.setdefault((r["provider"], r["model"], r["thinking_level"]), []).append(r)
    answered = {r["prompt_id"] for r in rows if r["success"]}
    judged = {r["prompt_id"] for r in rows if r["success"] and r["objective_pass"] is not None}
    return {
        "run_id": rows[0]["run_id"] if rows else os.path.basename(os.path.realpath(run_dir)),
        "run_wall_clock_ms": wall(rows),
        "models": [entry_of(run_dir, key, group, answered - judged) for key, group in groups.items()],
        "n_rows": len(rows), "n_lines_skipped": 0, "n_rows_repeated": 0, "percentile_method": "linear (type 7)",
        "percentile_interval_method": "order statistics", "interval_method": "wilson", "interval_level": 0.95,
        "client_was_bottleneck": bottleneck_of(run_dir),
    }


# ---- comparing ----

LOOSE = {"load1", "gpus"}  # of the machine: nothing to compute them from


def differences(got, want, at=""):
    if isinstance(want, dict) and isinstance(got, dict):
        out = [f"{at}/{name}: is missing" for name in want if name not in got]
        out += [f"{at}/{name}: nobody knows this field" for name in got if name not in want and name not in LOOSE]
        for name in want:
            if name in got:
                out += differences(got[name], want[name], f"{at}/{name}")
        return out
    if isinstance(want, list) and isinstance(got, list):
        if len(got) != len(want):
            return [f"{at}: has {len(got)} elements, not {len(want)}"]
        return [d for i, pair in enumerate(zip(got, want)) for d in differences(*pair, f"{at}/{i}")]
    if isinstance(want, float) and isinstance(got, (int, float)) and not isinstance(got, bool):
        return [] if math.isclose(got, want, rel_tol=1e-8, abs_tol=1e-9) else [f"{at}: is {got}, not {want}"]
    if isinstance(want, bool) != isinstance(got, bool) or got != want:
        return [f"{at}: is {got!r}, not {want!r}"]
    return []


def compare(run_dir):
    """What summary.json has otherwise than results.jsonl says, a sentence each; nothing when all is well."""
    with open(os.path.join(run_dir, "summary.json"), encoding="utf-8") as f:
        got = json.load(f)
    out = []
    try:
        datetime.datetime.fromisoformat(got.pop("generated_at").replace("Z", "+00:00"))
    except (KeyError, ValueError) as e:
        out.append(f"/generated_at: {e}")
    return out + differences(got, recompute(run_dir))


def main(runs):
    found = 0
    for run in runs:
        for line in compare(run):
            print(f"{run}: {line}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
