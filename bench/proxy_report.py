"""Medians and ratios of bench/proxy's figures: proxy_report.py FIGURES.tsv OUT.json"""
import json
import statistics
import sys

NAMES = ("direct", "nginx", "trackway", "litellm")


def read(path):
    rows = {"requests": {}, "streams": {}, "calls": {}}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            what, name, *figures = line.rstrip("\n").split("\t")
            rows[what].setdefault(name, []).append([float(f) for f in figures])
    return rows


def column(rows, name, i):
    return [r[i] for r in rows.get(name, [])]


def middle(values):
    return statistics.median(values) if values else None


def ratio(rows, a, b, i):
    """The median of the ratios of neighbouring turns."""
    pairs = list(zip(column(rows, a, i), column(rows, b, i)))
    return middle([x / y for x, y in pairs if y])


def show(value, form="{:.0f}"):
    return "-" if value is None else form.format(value)


def table(title, heads, rows):
    print(title)
    print("  " + "".join(f"{h:>14}" for h in heads))
    for row in rows:
        print("  " + "".join(f"{c:>14}" for c in row))
    print()


def requests(rows):
    lines = []
    for name in NAMES:
        if name in rows:
            lines.append([name] + [show(middle(column(rows, name, i))) for i in range(3)] + [
                show(sum(column(rows, name, 3)))])
    table("requests, one after the other on each connection", ["", "requests/s", "p50 us", "p99 us", "errors"], lines)


def streams(rows):
    lines = []
    for name in NAMES:
        if name not in rows:
            continue
        events, cpu = column(rows, name, 0), column(rows, name, 5)
        each = middle([c / e for c, e in zip(cpu, events)])
        rss = middle(column(rows, name, 6))
        lines.append([name] + [show(middle(column(rows, name, i))) for i in range(4)] + [
            show(each if name != "direct" else None, "{:.2f}"),
            show(rss / 1024 if name != "direct" else None, "{:.1f}"), show(sum(column(rows, name, 4)))])
    table("streams, all at once", ["", "events", "p50 us", "p99 us", "max us", "CPU us/event", "RSS MiB", "cut"], lines)


def added(rows, name, i):
    """What a proxy adds to the time without one."""
    return middle([a - b for a, b in zip(column(rows, name, i), column(rows, "direct", i))])


def judge(rows):
    r, s = rows["requests"], rows["streams"]
    cpu = middle([(a[5] / a[0]) / (b[5] / b[0]) for a, b in zip(s["trackway"], s["nginx"]) if b[5]])
    aims = [
        ("requests/s, ours / nginx", ratio(r, "trackway", "nginx", 0), 1.0, "at least"),
        ("p50, ours / nginx", ratio(r, "trackway", "nginx", 1), 1.0, "at most"),
        ("p99 delivery of streams, ms", middle(column(s, "trackway", 2)) / 1000, 1.0, "at most"),
        ("CPU per event, ours / nginx", cpu, 1.0, "at most"),
        ("RSS at the streams, MiB", middle(column(s, "trackway", 6)) / 1024, 40.0, "at most"),
    ]
    if "litellm" in r:
        more = added(r, "litellm", 1) / max(added(r, "trackway", 1), 1)
        aims.append(("added latency p50, LiteLLM / ours", more, 10.0, "at least"))
    for what, got, aim, how in aims:
        good = got is not None and (got >= aim if how == "at least" else got <= aim)
        print(f"  {what:40} {show(got, '{:.2f}'):>8}   aim: {how} {aim:g}   {'reached' if good else 'MISSED'}")
    return [{"what": w, "value": g, "aim": a, "how": h} for w, g, a, h in aims]


def main():
    rows = read(sys.argv[1])
    requests(rows["requests"])
    streams(rows["streams"])
    aims = judge(rows)
    print("  recorded calls, by turn:", ", ".join(show(c[0]) for c in rows["calls"].get("trackway", [])))
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump({"schema": "trackway.bench-proxy/1", "rows": rows, "aims": aims}, out, indent=1)


if __name__ == "__main__":
    main()
