"""Reads the turns that bench/ledger prints and says how they compare. usage: ledger_report.py WRITE.tsv LARGE.tsv"""
import statistics
import sys


def turns(path):
    """Of each row, operations a second (or seconds an operation) in the order of the rounds."""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, count, seconds = line.split("\t")
            rows.setdefault(name, []).append((int(count), float(seconds)))
    return rows


def rates(rows, name):
    return [count / seconds for count, seconds in rows[name]]


def ratio(rows, name, other):
    """The median of the ratios of neighbouring turns: steady when the machine is not."""
    return statistics.median(a / b for a, b in zip(rates(rows, name), rates(rows, other)))


def verdict(value, aim, least=True):
    met = value >= aim if least else value <= aim
    return f"{value:8.2f}   aim {aim:g}: {'met' if met else 'MISSED'}"


def report_writes(rows):
    print(f"{'durable writes':24}{'a second':>12}{'least':>12}{'most':>12}")
    for name in rows:
        each = rates(rows, name)
        print(f"{name:24}{statistics.median(each):12.0f}{min(each):12.0f}{max(each):12.0f}")
    print()
    fastest = max(("raw-growing", "raw-prewritten"), key=lambda name: statistics.median(rates(rows, name)))
    print(f"entry / {fastest:28}{verdict(ratio(rows, 'entry', fastest), 0.8)}")
    print(f"entries-256 / entry{'':17}{verdict(ratio(rows, 'entries-256', 'entry'), 40)}")
    print(f"records-256 / record{'':16}{verdict(ratio(rows, 'records-256', 'record'), 20)}")
    print(f"entry / sqlite-wal-full{'':13}{ratio(rows, 'entry', 'sqlite-wal-full'):8.2f}")
    print(f"entries-256 / sqlite-256{'':12}{ratio(rows, 'entries-256', 'sqlite-256'):8.2f}")


def report_large(rows):
    entries = rows["fill"][0][0]
    print(f"\na ledger of {entries} entries: made in {rows['fill'][0][1]:.1f} s, "
          f"its index in {rows['index-made'][0][1]:.1f} s (opened again in {rows['index-opened'][0][1] * 1e3:.0f} ms)")
    verify = statistics.median(seconds for _, seconds in rows["verify"])
    sha256 = statistics.median(seconds for _, seconds in rows["sha256-of-as-much"])
    size = rows["sha256-of-as-much"][0][0]
    print(f"verify{'':22}{verify:8.2f} s    SHA-256 of the {size / 1e6:.0f} MB it hashes, in one piece: "
          f"{sha256:.2f} s, {verify / sha256:.1f} times that")
    proofs = sorted(seconds for _, seconds in rows["prove"])
    print(f"prove{'':23}{statistics.median(proofs) * 1e3:8.2f} ms   at most {proofs[-1] * 1e3:.2f} ms")
    for name in rows:
        if name.startswith("list-"):
            each = [seconds for _, seconds in rows[name]]
            print(f"{name:28}{statistics.median(each) * 1e3:8.1f} ms   {rows[name][0][0]} rows")


report_writes(turns(sys.argv[1]))
report_large(turns(sys.argv[2]))
