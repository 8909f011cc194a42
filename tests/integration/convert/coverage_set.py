"""How much of each vendor's fields comes through, what is dropped, and how the sizes compare."""

from collections import Counter, defaultdict
from statistics import median

LEAST = 0.967


def run(suite):
    by_vendor = defaultdict(list)
    for s in suite.samples():
        if s.coverage:
            by_vendor[s.vendor].append(s)
    low, careless = [], []
    for vendor, samples in sorted(by_vendor.items()):
        values, dropped, raw, packed, worst = Counter(), Counter(), [], [], (2.0, "")
        for s in samples:
            c = s.coverage
            values.update({k: c["values"][k] for k in ("seen", "core", "ext", "dropped", "not_on_purpose", "dropped_null")})
            dropped.update({f["field"]: f["dropped"] for f in c["by_field"] if f["dropped"]})
            ratio = c["sizes"]["ratio"]
            raw += [ratio["raw"]] if ratio["raw"] is not None else []
            packed += [ratio["gzip"]] if ratio["gzip"] is not None else []
            said = c["values"]["seen"] - c["values"]["dropped_null"]
            if said:
                worst = min(worst, ((c["values"]["core"] + c["values"]["ext"]) / said, s.name))
        said = values["seen"] - values["dropped_null"]  # that a piece of a stream has no value yet is not kept
        share = (values["core"] + values["ext"]) / said if said else 0
        suite.note(
            f"{vendor:24} {share:7.2%} of {values['seen']} values (core {values['core']}, ext {values['ext']}, "
            f"dropped {values['dropped']}, of them null {values['dropped_null']}); "
            f"size x{median(raw or [0]):.2f}, in gzip x{median(packed or [0]):.2f}; "
            f"n {len(samples)}"
        )
        for field, n in dropped.most_common(12):
            suite.note(f"{'':24}   dropped: {field} ({n})")
        if share < LEAST:
            low.append((vendor, f"{share:.2%}"))
        if worst[0] < LEAST:
            suite.note(f"{'':24}   the least of one sample: {worst[0]:.2%}, {worst[1]}")
        if values["not_on_purpose"]:
            careless.append((vendor, f"{values['not_on_purpose']} values"))
    suite.check(f"coverage: at least {LEAST:.1%} for each vendor", low, len(by_vendor))
    suite.check("coverage: nothing is lost that was not dropped by name", careless, len(by_vendor))
