"""The nine validators give what their model in Python gives."""

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
    return {"type": "tool_invocation", "expected_tools": rng.sample(["free", "Du", "ps", "a", "k", "docker-compose"], rng.randrange(4))}, texts.tools(rng)


def case_noop(rng):
    return {"type": "noop"}, texts.prose(rng)


def view(answer):
    """Why a text is no JSON is said in our own words."""
    violation = answer.get("violation")
    if violation and violation.startswith("json_parse_error: "):
        return {**answer, "violation": violation[: len("json_parse_error: ")]}
    return answer


def run(suite):
    for name in model.NINE:
        rng = suite.random(name)
        made = [globals()[f"case_{name}"](rng) for _ in range(suite.cases)]
        cases = [{"validator": v, "text": t} for v, t in made]
        wanted = [model.judge(v, t) for v, t in made]
        passed = sum(w["pass"] is True for w in wanted)
        if name != "noop" and not suite.cases / 50 < passed < suite.cases * 49 / 50:
            suite.check(f"{name}: the cases are of both kinds", [("it", f"{passed} of {suite.cases} pass")], 1)
        suite.compare(name, cases, wanted, view)
