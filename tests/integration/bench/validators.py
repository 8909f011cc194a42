"""The validators give what their model in Python gives: the nine, and ours but for schemas and programs."""

import json

import model
import texts


def padded(rng, text):
    return rng.choice(["", " ", "\n", "\t\r\n", "\u3000", "\x0b"]) + text + rng.choice(["", " ", "\n\n", "\xa0"])


def case_exact(rng):
    value = rng.choice(["HEARTBEAT_OK", "", "a b", "it's", "\"", "it's \"x\"", "\u00e9\u200b\n", "\x00\x7f\x85", "\U000e0001\ue000",
                        "\u0378", texts.prose(rng)])
    return {"type": "exact", "value": value}, padded(rng, rng.choice([value, value.upper(), value + "x", texts.prose(rng)]))


def case_one_of(rng):
    values = [rng.choice(["yes", "no", "Yes", "", "it's", "\\", texts.prose(rng)]) for _ in range(rng.randrange(1, 5))]
    return {"type": "one_of", "values": values}, padded(rng, rng.choice(values + ["YES", "nope"]))


PATTERNS = [r"[0-9]+", r"\d+", r"\w+", r"\s*\w+\s*", r"(?i)yes|no", r"(?P<y>a)(?P=y)", r"a{,2}b", r"[^\s]+", r"\S+", r"x\Z", r".*",
            r"(?s).*", r"(?m)^a$", r"[a-z]+(?:-[a-z]+)*", r"\u00e9+", r"(a|ab)(c|bcd)", r"[[:alpha:]]+", r"[]a]+", r"\bfoo\b", r"a\vb",
            r"(?x) a b # c", r"^$", r"(?:)", r"[\w.]+@[\w.]+", r"(?<=a)b|ab", r"a++b", r"(?>a+)b", r"(a)?(?(1)b|c)", r"[\s]+x",
            r"\U0001F600", r"\x41", r"[^\W\d_]+", r"a{2,}", r"a{1}", r"{a}", r"a{,}b", r"(?#hi)a", r"\.", r"[.]", r"\$", r"a|", r"a\n"]
MATCHED = ["", "a", "aa", "aaa", "ab", "aab", "abc", "abcd", "b", "c", "123", "\u0663\u0664", "yes", "No", "NOPE", "x", "x\n", "a-b-c",
           "\u00e9\u00e9", "a]", "alpha", "]a]", "foo", "a\x0bb", "me@x.org", "\u2003x", "\x1cx", "\u180ex", "\U0001f600", "A",
           "\u00e9_1", "{a}", "a{,}b", ".", "$", "a\nb", "a\n", "[:alph]", "\u212a", "\u01c5", "\u0301", "\u2160", "\u00b2"]


def case_regex_fullmatch(rng):
    return {"type": "regex_fullmatch", "pattern": rng.choice(PATTERNS)}, rng.choice(MATCHED + [texts.prose(rng)])


def case_max_words(rng):
    return {"type": "max_words", "value": rng.randrange(0, 12)}, padded(rng, texts.prose(rng))


def case_max_sentences(rng):
    validator = {"type": "max_sentences"}
    if rng.random() < 0.8:
        validator["value"] = rng.randrange(0, 6)
    return validator, padded(rng, texts.prose(rng))


def case_exact_bullets(rng):
    return {"type": "exact_bullets", "value": rng.randrange(0, 6)}, padded(rng, texts.lines(rng))


def damaged(rng, text):
    if not text or rng.random() < 0.7:
        return text
    at = rng.randrange(len(text))
    return rng.choice([text[:at], text[at:], text[:at] + rng.choice("{}[],:\"x") + text[at:], text[:at] + text[at + 1 :]])


def case_json_keys(rng):
    keys = ["a", "b", "route", "\u00fc", ""]
    rules = {}
    for _ in range(rng.randrange(4)):
        kind = rng.choice(["one_of", "one_of", *model.RULES])
        rules[rng.choice(keys)] = {"type": kind, **({"values": [texts.value(rng, 2) for _ in range(4)]} if kind == "one_of" else {})}
    validator = {"type": "json_keys", "required_keys": rng.sample(keys, rng.randrange(3))}
    if rng.random() < 0.8:
        validator["key_rules"] = rules
    answer = texts.value(rng) if rng.random() < 0.2 else {k: texts.value(rng, 1) for k in rng.sample(keys, rng.randrange(6))}
    text = damaged(rng, json.dumps(answer, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 2])))
    wrap = rng.choice(["%s", "%s", "```json\n%s\n```", "```%s```", "Here it is:\n```\n%s\n```\nDone {x}", "So: %s.", "%s ```", "{%s"])
    return validator, padded(rng, wrap.replace("%s", text))


def case_tool_invocation(rng):
    expected = rng.sample(["free", "Du", "ps", "a", "k", "docker-compose"], rng.randrange(4))
    return {"type": "tool_invocation", "expected_tools": expected}, texts.tools(rng)


def case_noop(rng):
    return {"type": "noop"}, texts.prose(rng)


# ---- ours ----

NAMES = ["free", "Du", "ps", "a", "k", "docker-compose"]


def case_contains(rng):
    text = texts.prose(rng)
    if rng.random() < 0.3:
        return {"type": "contains", "pattern": rng.choice(PATTERNS[:1] + PATTERNS[6:14])}, text
    piece = text.strip(" \t\r\n")
    at = rng.randrange(len(piece) + 1)
    values = [rng.choice([piece[at : at + rng.randrange(4)], "free", "DU", "\u00c9", "."]) for _ in range(rng.randrange(1, 4))]
    validator = {"type": "contains", **({"value": values[0]} if len(values) == 1 else {"values": values})}
    if rng.random() < 0.5:
        validator["ignore_case"] = rng.random() < 0.5
    # Letters whose other case is not one letter are compared otherwise in Python.
    odd = validator.get("ignore_case") and any(c in "\u0130\u0131\u017f\u212a" for c in text + "".join(values))
    return (validator, text) if not odd else case_contains(rng)


def case_max_tokens(rng):
    return {"type": "max_tokens", "value": rng.randrange(4)}, "x", {"tokens": rng.randrange(-1, 6)}


def calls(rng):
    arguments = [json.dumps({k: texts.value(rng, 2) for k in rng.sample("abc", rng.randrange(4))}), "", "{", "[1]"]
    return [{"name": rng.choice(NAMES), "arguments": rng.choice(arguments[:1] * 4 + arguments)} for _ in range(rng.randrange(5))]


def case_tool_sequence(rng):
    validator = {"type": "tool_sequence", "tools": [rng.choice(NAMES[:4]) for _ in range(rng.randrange(1, 3))]}
    if rng.random() < 0.3:
        validator["exact"] = rng.random() < 0.5
    return validator, texts.tools(rng), {"calls": calls(rng)}


def case_tool_args(rng):
    made = calls(rng)
    validator = {"type": "tool_args", "tool": rng.choice(NAMES), "args": {}}
    if made and rng.random() < 0.6:
        call = rng.choice(made)
        validator["tool"] = call["name"]
        given = json.loads(call["arguments"]) if call["arguments"].startswith("{\"") else {}
        validator["args"] = {k: v for k, v in given.items() if rng.random() < 0.5}
    if rng.random() < 0.3:
        validator["args"]["a"] = texts.value(rng, 2)
    return validator, texts.tools(rng), {"calls": made}


def small(rng, depth):
    if depth == 0 or rng.random() < 0.5:
        return rng.choice([case_exact, case_one_of, case_max_words, case_noop, case_exact_bullets, case_tool_invocation])(rng)[0]
    if rng.random() < 0.3:
        return {"type": "not", "validator": small(rng, depth - 1)}
    return {"type": rng.choice(["all_of", "any_of"]), "validators": [small(rng, depth - 1) for _ in range(rng.randrange(1, 4))]}


def group(rng, kind):
    text = texts.prose(rng)
    if kind == "not":
        return {"type": kind, "validator": small(rng, 3)}, text
    return {"type": kind, "validators": [small(rng, 3) for _ in range(rng.randrange(1, 4))]}, text


def case_all_of(rng):
    return group(rng, "all_of")


def case_any_of(rng):
    return group(rng, "any_of")


def case_not(rng):
    return group(rng, "not")


def view(answer):
    """Why a text is no JSON is said in our own words."""
    violation = answer.get("violation")
    if violation and violation.startswith("json_parse_error: "):
        return {**answer, "violation": violation[: len("json_parse_error: ")]}
    return answer


def run(suite):
    for name in (*model.NINE, *model.OURS):
        rng = suite.random(name)
        made = [globals()[f"case_{name}"](rng) for _ in range(suite.cases)]
        made = [(v, t, more[0] if more else {}) for v, t, *more in made]
        cases = [{"validator": v, "text": t, **more} for v, t, more in made]
        wanted = [model.judge(v, t, **more) for v, t, more in made]
        passed = sum(w["pass"] is True for w in wanted)
        if name != "noop" and not suite.cases / 50 < passed < suite.cases * 49 / 50:
            suite.check(f"{name}: the cases are of both kinds", [("it", f"{passed} of {suite.cases} pass")], 1)
        suite.compare(name, cases, wanted, view)
