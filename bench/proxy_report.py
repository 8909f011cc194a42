"""Medians and ratios of bench/proxy's figures: proxy_report.py FIGURES.tsv OUT.json"""
import json
import statistics
import sys

NAMES = ("direct", "nginx", "trackway", "litellm")
RATE, P50, P99, ERRORS, REQUESTS, CPU = range(6)  # of requests
EVENTS, _, S_P99, S_MAX, CUT, BEGUN, S_CPU, RSS = range(8)  # of streams

# What is aimed at, plain and with TLS; None: told, and not judged.
AIMS = {
    "plain": {"rate": 1.0, "p50": 1.0, "p99": 1.0, "p99 ratio": None, "cpu": 1.0, "rss": 40.0},
    "tls": {"rate": 0.8, "p50": None, "p99": None, "p99 ratio": 1.0, "cpu": 1.1, "rss": 60.0},
}


def read(path):
    """kind -> mode -> name -> its turns."""
    rows = {"requests": {}, "streams": {}, "far": {}, "calls": {}}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            what, mode, name, *figures = line.rstrip("\n").split("\t")
            rows[what].setdefault(mode, {}).setdefault(name, []).append([float(f) for f in figures])
    return rows


def column(rows, name, i):
    return [r[i] for r in rows.get(name, [])]


def middle(values):
    return statistics.median(values) if values else None


def ratio(rows, i, per=None):
    """The median of the ratios, ours to nginx's, of neighbouring turns; of figure i, or of i for each of `per`."""

    def figure(turn):
        return turn[i] / (turn[per] if per is not None else 1)

    return middle([figure(a) / figure(b) for a, b in zip(rows["trackway"], rows["nginx"]) if figure(b)])


def each(rows, name, i, per):
    """A figure for each of others; None where the process is not known."""
    return None if name in ("direct", "litellm") else middle([r[i] / r[per] for r in rows[name]])


def show(value, form="{:.0f}"):
    return "-" if value is None else form.format(value)


def table(title, heads, rows):
    print(title)
    print("  " + "".join(f"{h:>15}" for h in heads))
    for row in rows:
        print("  " + "".join(f"{c:>15}" for c in row))
    print()


def requests(rows, mode):
    lines = []
    for name in (n for n in NAMES if n in rows):
        lines.append([name] + [show(middle(column(rows, name, i))) for i in (RATE, P50, P99)] + [
            show(each(rows, name, CPU, REQUESTS), "{:.1f}"), show(sum(column(rows, name, ERRORS)))])
    table(f"{mode}: requests, one after the other on each connection",
          ["", "requests/s", "p50 us", "p99 us", "CPU us/request", "errors"], lines)


def streams(rows, title):
    lines = []
    for name in (n for n in NAMES if n in rows):
        rss = None if name == "direct" else middle(column(rows, name, RSS)) / 1024
        lines.append([name] + [show(middle(column(rows, name, i))) for i in (EVENTS, 1, S_P99, S_MAX)] + [
            show(each(rows, name, S_CPU, EVENTS), "{:.2f}"), show(rss, "{:.1f}"),
            show(middle(column(rows, name, BEGUN)) / 1000), show(sum(column(rows, name, CUT)))])
    table(title, ["", "events", "p50 us", "p99 us", "max us", "CPU us/event", "RSS MiB", "begun ms", "cut"], lines)


def added(rows, name, i):
    """What a proxy adds to the time without one."""
    return middle([a - b for a, b in zip(column(rows, name, i), column(rows, "direct", i))])


def aims_of(rows, mode):
    r, s, far = (rows[kind][mode] for kind in ("requests", "streams", "far"))
    aim = AIMS["plain" if mode == "plain" else "tls"]
    aims = [
        ("requests/s, ours / nginx", ratio(r, RATE), aim["rate"], "at least"),
        ("p50, ours / nginx", ratio(r, P50), aim["p50"], "at most"),
        ("CPU per request, ours / nginx", ratio(r, CPU, REQUESTS), None, "at most"),
        ("p99 delivery of streams, ms", middle(column(s, "trackway", S_P99)) / 1000, aim["p99"], "at most"),
        ("p99 delivery of streams, ours / nginx", ratio(s, S_P99), aim["p99 ratio"], "at most"),
        ("CPU per event, ours / nginx", ratio(s, S_CPU, EVENTS), aim["cpu"], "at most"),
        ("RSS at the streams, MiB", middle(column(s, "trackway", RSS)) / 1024, aim["rss"], "at most"),
        ("far away, all begun, ours / nginx", ratio(far, BEGUN), 1.0, "at most"),
    ]
    if "litellm" in r:
        more = added(r, "litellm", P50) / max(added(r, "trackway", P50), 1)
        aims.append(("added latency p50, LiteLLM / ours", more, 10.0, "at least"))
    return aims


def judge(aims):
    for what, got, aim, how in aims:
        text = f"  {what:40} {show(got, '{:.2f}'):>8}"
        if aim is not None:
            good = got is not None and (got >= aim if how == "at least" else got <= aim)
            text += f"   aim: {how} {aim:g}   {'reached' if good else 'MISSED'}"
        print(text)
    print()


def main():
    rows = read(sys.argv[1])
    found = {}
    for mode in rows["requests"]:
        requests(rows["requests"][mode], mode)
        streams(rows["streams"][mode], f"{mode}: streams, all at once")
        streams(rows["far"][mode], f"{mode}: streams of an upstream far away")
        found[mode] = aims_of(rows, mode)
        judge(found[mode])
        calls = rows["calls"].get(mode, {}).get("trackway", [])
        print("  recorded calls, by turn:", ", ".join(show(c[0]) for c in calls), "\n")
    aims = {m: [{"what": w, "value": g, "aim": a, "how": h} for w, g, a, h in found[m]] for m in found}
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump({"schema": "trackway.bench-proxy/2", "rows": rows, "aims": aims}, out, indent=1)


if __name__ == "__main__":
    main()
