"""Medians and ratios of bench/client's turns: client_report.py DIR ROUNDS OUT.json"""
import json
import os
import statistics
import sys

CLIENTS = ("trackway", "aiohttp")
MODES = ("plain", "tls1.2", "tls1.3")


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def percentile(values, p):
    """Linear between neighbours (type 7)."""
    values = sorted(values)
    at = (len(values) - 1) * p
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def own_ns(client, row):
    """When the request was sent and when its first token came, on a clock of the client's own."""
    if client == "aiohttp":
        return row["sent_ns"], row["token_ns"]
    if row["status"] != "ok":
        return 0, 0
    return row["sent_ms"] * 1e6, (row["first_token_ms"] or 0) * 1e6


def turn(directory, client, number):
    """CPU microseconds for each event, and how far the time to the first token is from the server's own, in ms."""
    base = os.path.join(directory, f"{client}-{number}")
    with open(base + ".json", encoding="utf-8") as file:
        said = json.load(file)
    served = {row["id"]: row["first_ns"] - row["arrived_ns"] for row in lines(base + ".log") if row.get("first_ns")}
    rows = lines(base + ".jsonl")
    errors = []
    for row in rows:
        sent, token = own_ns(client, row)
        if token and row["request_id"] in served:
            errors.append(abs(token - sent - served[row["request_id"]]) / 1e6)
    if client == "trackway":
        events, cpu = said["all"]["events"], said["client"]["cpu_seconds"]
    else:
        events, cpu = said["events"], said["cpu_seconds"]
    if not errors:
        sys.exit(f"bench/client: no request of {client} could be found in the mock's log: {said}")
    return {"cpu_us": cpu * 1e6 / events, "p50": percentile(errors, 0.5), "p99": percentile(errors, 0.99),
            "max": max(errors), "events": events, "matched": len(errors), "lost": len(rows) - len(errors)}


def middle(turns, name):
    return statistics.median(t[name] for t in turns)


def ratio(all_turns, name):
    """The median of the ratios of neighbouring turns; what is below a microsecond counts as one."""
    return statistics.median(b[name] / max(a[name], 0.001) for a, b in zip(all_turns["trackway"], all_turns["aiohttp"]))


def run_of(directory, name):
    with open(os.path.join(directory, name + ".json"), encoding="utf-8") as file:
        said = json.load(file)
    good, due = said["all"]["ok"], said["all"]["due"]
    if good != due:
        sys.exit(f"bench/client: {name}: only {good} of {due} requests were answered: {said['failures']}")
    return said


def secure_turn(directory, mode, number):
    """Of one mode: CPU us for each event of a stream, each answer, and each of wrk's; wrk's requests a second."""
    streams = run_of(directory, f"streams-{mode}-{number}")
    answers = run_of(directory, f"answers-{mode}-{number}")
    with open(os.path.join(directory, f"wrk-{mode}-{number}.tsv"), encoding="utf-8") as file:
        rate, _, _, errors, count, _, _, cpu = (float(f) for f in file.read().split("\t"))
    return {"event_us": streams["client"]["cpu_seconds"] * 1e6 / streams["all"]["events"],
            "answer_us": answers["client"]["cpu_seconds"] * 1e6 / answers["all"]["ok"],
            "wrk_us": cpu * 1e6 / count, "wrk_rate": rate, "wrk_errors": errors}


def secure(directory, rounds):
    """The table of plain and https, and its aims."""
    turns = {m: [secure_turn(directory, m, n + 1) for n in range(rounds)] for m in MODES}
    print("  " + "".join(f"{h:>15}" for h in ("", "CPU us/event", "CPU us/answer", "wrk us/answer", "wrk answers/s")))
    for mode, t in turns.items():
        print("  " + "".join(f"{x:>15}" for x in (mode, *(
            f"{middle(t, name):.2f}" for name in ("event_us", "answer_us", "wrk_us")), f"{middle(t, 'wrk_rate'):.0f}")))
    print()
    aims = []
    for mode in MODES:
        beside = statistics.median(t["answer_us"] / t["wrk_us"] for t in turns[mode])
        aims.append((f"{mode}: CPU per answer, ours / wrk", beside, None, "at most"))
    for mode in MODES[1:]:
        more = statistics.median(a["event_us"] / b["event_us"] for a, b in zip(turns[mode], turns["plain"]))
        aims.append((f"{mode}: CPU per event, https / plain", more, 1.5, "at most"))
    return turns, aims


def main():
    directory, rounds, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    turns = {c: [turn(directory, c, n + 1) for n in range(rounds)] for c in CLIENTS}
    heads = ("", "events", "CPU us/event", "TTFT error:", "p50 ms", "p99 ms", "max ms", "lost")
    print("  " + "".join(f"{h:>14}" for h in heads))
    for c in CLIENTS:
        t = turns[c]
        print("  " + "".join(f"{x:>14}" for x in (
            c, f"{middle(t, 'events'):.0f}", f"{middle(t, 'cpu_us'):.2f}", "", f"{middle(t, 'p50'):.3f}",
            f"{middle(t, 'p99'):.3f}", f"{middle(t, 'max'):.3f}", sum(x["lost"] for x in t))))
    print()
    aims = [
        ("CPU per event, us", middle(turns["trackway"], "cpu_us"), 12, "at most"),
        ("p99 error of TTFT, ms", middle(turns["trackway"], "p99"), 0.3, "at most"),
        ("CPU per event, aiohttp / ours", ratio(turns, "cpu_us"), 10, "at least"),
        ("p99 error of TTFT, aiohttp / ours", ratio(turns, "p99"), 10, "at least"),
    ]
    turns["https"], more = secure(directory, rounds)
    aims += more
    for what, got, aim, how in aims:
        text = f"  {what:36} {got:8.2f}"
        if aim is not None:
            good = got >= aim if how == "at least" else got <= aim
            text += f"   aim: {how} {aim:g}   {'reached' if good else 'MISSED'}"
        print(text)
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"schema": "trackway.bench-client/1", "turns": turns, "aims": [
            {"what": w, "value": g, "aim": a, "how": h} for w, g, a, h in aims]}, file, indent=1)


if __name__ == "__main__":
    main()
