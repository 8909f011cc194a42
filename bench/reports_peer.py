"""Makes a ledger, then has ours and pandas say the mean reward of each adapter and model, in turn, from the same record
files. usage: reports_peer.py DIR (TRACKWAY, RECORDS, ROUNDS)"""
import json
import os
import resource
import statistics
import subprocess
import sys
import time

sys.path.insert(0, "tests/integration/report")
import generate  # noqa: E402

PANDAS = r"""
import glob, json, sys
import pandas
def row(path):
    with open(path, encoding="utf-8") as f:
        r = json.load(f)
    return (r["agent"]["model"], r["agent"]["adapter"], r["task"]["task_id"], r["evaluation"]["reward"],
            r["cost"]["estimated_cost_usd"], r["cost"]["tokens_in"], r["cost"]["tokens_out"],
            r["timing"]["total_seconds"])
frame = pandas.DataFrame([row(p) for p in glob.iglob(sys.argv[1] + "/records/*/*.json")],
                         columns=["model", "adapter", "task", "reward", "usd", "in", "out", "seconds"])
by = frame.groupby(["model", "adapter"])
out = by.agg(mean=("reward", "mean"), n=("reward", "size"), tasks=("task", "nunique"), usd=("usd", "sum"),
             tokens_in=("in", "sum"), tokens_out=("out", "sum"), seconds=("seconds", "mean"))
out["passed"] = frame[frame.reward >= 1].groupby(["model", "adapter"]).size()
for key, r in out.iterrows():
    print(*key, int(r.n), repr(float(r["mean"])))
"""


def run(args):
    begin = time.monotonic()
    process = subprocess.Popen(args, stdout=subprocess.PIPE)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit("%s failed" % args[0])
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def main():
    program, records, rounds = os.environ["TRACKWAY"], int(os.environ["RECORDS"]), int(os.environ["ROUNDS"])
    os.chdir(sys.argv[1])
    os.environ["TRACKWAY_KEYS"] = os.path.join(os.getcwd(), "keys")
    subprocess.run([program, "-q", "ledger", "init", "--origin", "bench.example.org/trials"], check=True,
                   stdout=subprocess.DEVNULL)
    with open("records.jsonl", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(r) + "\n" for r in generate.records(records))
    subprocess.run([program, "-q", "ledger", "add", "records.jsonl"], check=True, stdout=subprocess.DEVNULL)
    ways = {"trackway": [program, "report", "leaderboard", "--json=rows"],
            "pandas": [sys.executable, "-c", PANDAS, "ledger"]}
    seen = {name: [] for name in ways}
    for _ in range(rounds):
        for name, args in ways.items():
            seen[name].append(run(args))
    ours = {(r["model"], r["adapter"]): (r["trials"], r["mean_reward"])
            for r in json.loads(seen["trackway"][-1][3])["rows"]}
    for line in seen["pandas"][-1][3].decode().splitlines():
        model, adapter, n, mean = line.split()
        if ours[model, adapter][0] != int(n) or abs(ours[model, adapter][1] - float(mean)) > 1e-9:
            raise SystemExit("the two do not agree: " + line)
    print(f"{f'{records} trials, {rounds} rounds':32}{'seconds':>12}{'least':>10}{'most':>10}{'CPU':>10}{'MiB':>10}")
    for name, runs in seen.items():
        times = [r[0] for r in runs]
        print(f"{name:32}{statistics.median(times):12.3f}{min(times):10.3f}{max(times):10.3f}"
              f"{statistics.median(r[1] for r in runs):10.3f}{max(r[2] for r in runs):10.0f}")
    for column, what in enumerate(("seconds", "CPU seconds")):
        ratio = statistics.median(b[column] / a[column] for a, b in zip(seen["trackway"], seen["pandas"]))
        print(f"pandas / trackway, {what}: {ratio:.1f}")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
