"""Neither a pattern nor an answer nor a schema makes a verdict wait."""

import time

import harness

ALLOWED = 6.0  # seconds for one case, on a machine that does other things as well


def patterns():
    a = "a" * 60_000
    yield "nested repetition", {"type": "regex_fullmatch", "pattern": "(a+)+"}, a + "b"
    yield "nested repetition, alternatives", {"type": "regex_fullmatch", "pattern": "(a|a)*"}, a + "b"
    yield "nested repetition of blanks", {"type": "regex_fullmatch", "pattern": r"(\s*\w+\s*)*"}, "a " * 20_000 + "!"
    yield "a reference back", {"type": "regex_fullmatch", "pattern": r"(a*)\1(a*)\2b?[cd]"}, a
    yield "a reference back, any case", {"type": "contains", "pattern": r"(?i)(a*)(a*)\1\2[bc]"}, a
    yield "possessive runs at every place", {"type": "contains", "pattern": "a*+[bc]"}, a
    yield "possessive runs, many times", {"type": "contains", "pattern": "(?:a|a)*?a*+[bc]"}, a
    yield "look-ahead", {"type": "contains", "pattern": "(?:(?=a*[bc])a|a)+[cd]"}, a
    yield "a deep group", {"type": "regex_fullmatch", "pattern": "(?:(?:(?:x?)*)*)*y"}, "x" * 60_000
    yield "counted", {"type": "regex_fullmatch", "pattern": "(?:a{1,100}){1,100}[bc]"}, a
    yield "recursion", {"type": "regex_fullmatch", "pattern": r"(a(?R)?b|a)*"}, a
    yield "dots", {"type": "contains", "pattern": "(.*)(.*)(.*)(.*)(.*)[xz]"}, "y" * 60_000
    yield "many strings for a schema's pattern", {"type": "json_schema", "schema": {"items": {"anyOf": [{"pattern": "(a|a)*[bc]"}, True]}}}, (
        "[" + ",".join(['"aaaaaaaaaaaaaa"'] * 3000) + "]")
    yield "many patterns", {"type": "any_of", "validators": [{"type": "contains", "pattern": "(a|a)*[bc]"}] * 200}, "a" * 18
    yield "a long text, any case", {"type": "contains", "value": "a" * 4_000 + "b", "ignore_case": True}, a + "b" + a[:3999] + "\u00e9b"
    yield "a schema's pattern", {"type": "json_schema", "schema": {"type": "string", "pattern": "^(a+)+$"}}, '"' + a + 'b"'


def answers():
    yield "fences", "```" * 50_000
    yield "backticks of every length", "".join("`" * n + "x" for n in range(1, 400))
    yield "quotes", "'\"" * 100_000
    yield "quotes that open only", " 'a" * 60_000 + ' "a' * 60_000
    yield "prompts", "$ # " * 100_000
    yield "braces", "{" * 100_000
    yield "deep JSON", "{\"a\":" * 50_000 + "1" + "}" * 50_000
    yield "names that repeat", "{" + ",".join(f'"k{n % 7}":{n}' for n in range(60_000)) + "}"
    yield "points", ". " * 200_000
    yield "lines", "\n-" * 200_000
    yield "tags", "<tool>" * 50_000 + "[tool:" * 50_000
    yield "opened comments", "```sh\n" + "a <<'E'\n" * 30_000
    yield "NUL", "\0" * 200_000


KINDS = [
    {"type": "exact", "value": "x"}, {"type": "max_words", "value": 3}, {"type": "max_sentences"}, {"type": "exact_bullets", "value": 1},
    {"type": "json_keys", "required_keys": ["a"], "key_rules": {"a": {"type": "object"}}},
    {"type": "tool_invocation", "expected_tools": ["free"]},
    {"type": "json_schema", "schema": {"$defs": {"n": {"properties": {"a": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}},
]


def run(suite):
    slow, undecided = [], 0
    cases = [(n, {"validator": v, "text": t}) for n, v, t in patterns()]
    cases += [(f"{n} to {v['type']}, {d}", {"validator": v, "text": t, "detector": d})
              for n, t in answers() for v in KINDS for d in ("default", "reference")
              if d == "default" or v["type"] == "tool_invocation"]
    cases.append(("alternatives that multiply", {"schema": {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]},
                                                                     "b": {"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}},
                                                           "$ref": "#/$defs/a"}, "value": 1}))
    for name, case in cases:
        start = time.monotonic()
        answer = suite.drive([case])[0]
        seconds = time.monotonic() - start
        undecided += "limit" in str(answer.get("violation") or answer.get("valid"))
        if seconds > ALLOWED * harness.SLOWER:
            slow.append((name, f"{seconds:.1f} s"))
    suite.check("every verdict comes in time", slow, len(cases))
    suite.check("some were given up", [] if undecided >= 5 else [("it", f"only {undecided}")], undecided)
