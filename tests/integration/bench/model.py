"""What the rulings say, in Python: written from their table alone, to be held against the program."""

import json
import re
import warnings

warnings.simplefilter("ignore", FutureWarning)  # of sets that look nested

PATTERNS = (
    re.compile(r"`([a-z0-9\-_.]+)", re.IGNORECASE),
    re.compile(r"[\"']([a-z0-9\-_.]+)\s"),
    re.compile(r"[$#]\s+([a-z0-9\-_.]+)"),
    re.compile(r"<tool>([a-z0-9\-_.]+)</tool>", re.IGNORECASE),
    re.compile(r"\[(?:tool|TOOL):\s*([a-z0-9\-_.]+)\]"),
)


def detect(text):
    found = []
    for pattern in PATTERNS:
        for name in pattern.findall(text):
            if name.lower() not in found:
                found.append(name.lower())
    return found


def verdict(passed, violation, parsed):
    return {"pass": passed, "violation": None if passed else violation, "parsed": parsed}


def noop(_validator, _text):
    return {"pass": None, "violation": None, "parsed": None}


def exact(validator, text):
    out = text.strip(" \t\r\n")
    return verdict(out == validator["value"], f"exact_mismatch want={validator['value']!r}", {"text": out})


def one_of(validator, text):
    out = text.strip(" \t\r\n")
    return verdict(out in validator["values"], f"not_one_of {validator['values']!r}", {"text": out})


def regex_fullmatch(validator, text):
    out = text.strip(" \t\r\n")
    pattern = validator["pattern"]
    return verdict(re.fullmatch(pattern, out) is not None, f"regex_fullmatch_failed pattern={pattern!r}", {"text": out})


def max_words(validator, text):
    out = text.strip(" \t\r\n")
    n = len(out.split())
    return verdict(n <= validator["value"], f"too_many_words got={n} limit={validator['value']}", {"words": n, "text": out})


def max_sentences(validator, text):
    out = text.strip(" \t\r\n")
    n = sum(1 for part in re.split(r"(?<=[.!?])\s+", out) if part.strip())
    limit = validator.get("value", 1)
    return verdict(n <= limit, f"too_many_sentences got={n} limit={limit}", {"sentences": n, "text": out})


def exact_bullets(validator, text):
    lines = [line.rstrip() for line in text.strip(" \t\r\n").splitlines() if line.strip()]
    n = sum(line.lstrip().startswith("-") for line in lines)
    return verdict(n == validator["value"], f"bullet_count got={n} want={validator['value']}",
                   {"bullets": n, "lines": lines[:20]})


def json_part(out):
    fenced = re.search(r"```[A-Za-z0-9_+.-]*(.*?)```", out, re.DOTALL)
    if fenced:
        return fenced.group(1)
    first, last = out.find("{"), out.rfind("}")
    return out[first : last + 1] if -1 < first < last else out


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def same(a, b):
    """Equal as JSON: a boolean is no number, at no depth."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True) or (
        not isinstance(a, (bool, str)) and not isinstance(b, (bool, str)) and isinstance(a, (int, float))
        and isinstance(b, (int, float)) and a == b)


RULES = {
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
    "integer": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and v == int(v),
    "null": lambda v: v is None,
}


def json_keys(validator, text):
    try:
        parsed = json.loads(json_part(text.strip(" \t\r\n")), parse_constant=no_constant)
    except ValueError:
        return verdict(False, "json_parse_error: ", None)
    if not isinstance(parsed, dict):
        return verdict(False, "json_not_object", None)
    for key in validator["required_keys"]:
        if key not in parsed:
            return verdict(False, f"missing_key:{key}", parsed)
    for key, rule in validator.get("key_rules", {}).items():
        if key not in parsed:
            continue
        kind = rule["type"]
        good = any(same(parsed[key], v) for v in rule["values"]) if kind == "one_of" else RULES[kind](parsed[key])
        if not good:
            return verdict(False, f"key_rule_{kind}_failed:{key}", parsed)
    return verdict(True, None, parsed)


def tool_invocation(validator, text):
    found = detect(text)
    expected = validator["expected_tools"]
    passed = bool({e.lower() for e in expected} & set(found)) if expected else bool(found)
    return verdict(passed, f"no_tool_invocation expected={expected!r}", {"detected_tools": found, "count": len(found)})


NINE = {f.__name__: f for f in (noop, exact, one_of, regex_fullmatch, max_words, max_sentences, exact_bullets, json_keys,
                                tool_invocation)}


# ---- ours, by doc/bench-suites.md ----


def contains(validator, text, **_):
    out = text.strip(" \t\r\n")
    if "pattern" in validator:
        found = re.search(validator["pattern"], out)
        return verdict(found is not None, f"not_contained pattern={validator['pattern']!r}", {"text": out})
    values = validator.get("values") or [validator["value"]]
    if validator.get("ignore_case"):
        lacking = [v for v in values if not re.search(re.escape(v), out, re.IGNORECASE)]
    else:
        lacking = [v for v in values if v not in out]
    return verdict(not lacking, f"not_contained {lacking[0]!r}" if lacking else None, {"text": out})


def max_tokens(validator, _text, tokens=-1, **_):
    if tokens < 0:
        return noop(None, None)
    return verdict(tokens <= validator["value"], f"too_many_tokens got={tokens} limit={validator['value']}", {"tokens": tokens})


def called(text, calls):
    return [c["name"] for c in calls] if calls else detect(text)


def tool_sequence(validator, text, calls=(), **_):
    found = called(text, calls)
    names = iter(n.lower() for n in found)
    good = all(t.lower() in names for t in validator["tools"])
    if validator.get("exact"):
        good = good and len(found) == len(validator["tools"])
    return verdict(good, f"tool_sequence want={validator['tools']!r} got={found!r}", {"detected_tools": found, "count": len(found)})


def tool_args(validator, text, calls=(), **_):
    found = called(text, calls)
    mine = [c for c in calls if c["name"].lower() == validator["tool"].lower()]
    good = False
    for call in mine:
        try:
            given = json.loads(call["arguments"] or "{}", parse_constant=no_constant)
        except ValueError:
            continue
        good = good or (isinstance(given, dict) and all(k in given and same(given[k], v) for k, v in validator["args"].items()))
    why = "tool_args_mismatch" if mine else "no_tool_call"
    return verdict(good, f"{why} tool={validator['tool']!r}", {"detected_tools": found, "count": len(found)})


def results(validators, text, more):
    verdicts = [judge(v, text, **more) for v in validators]
    shown = {"results": [{"type": v["type"], "objective_pass": r["pass"], "violation": r["violation"]}
                         for v, r in zip(validators, verdicts)]}
    return verdicts, shown


def all_of(validator, text, **more):
    verdicts, shown = results(validator["validators"], text, more)
    passes = [r["pass"] for r in verdicts]
    if False in passes:
        return verdict(False, "all_of: " + verdicts[passes.index(False)]["violation"], shown)
    return {"pass": True if True in passes else None, "violation": None, "parsed": shown}


def any_of(validator, text, **more):
    verdicts, shown = results(validator["validators"], text, more)
    passes = [r["pass"] for r in verdicts]
    if True in passes or False not in passes:
        return {"pass": True if True in passes else None, "violation": None, "parsed": shown}
    return verdict(False, "any_of: " + "; ".join(r["violation"] for r in verdicts if r["pass"] is False), shown)


def not_(validator, text, **more):
    (inner,), shown = results([validator["validator"]], text, more)
    if inner["pass"] is None:
        return {"pass": None, "violation": None, "parsed": shown}
    return verdict(not inner["pass"], f"not_failed {validator['validator']['type']}", shown)


OURS = {"contains": contains, "max_tokens": max_tokens, "tool_sequence": tool_sequence, "tool_args": tool_args, "all_of": all_of,
        "any_of": any_of, "not": not_}


def judge(validator, text, **more):
    kind = validator["type"]
    return NINE[kind](validator, text) if kind in NINE else OURS[kind](validator, text, **more)
