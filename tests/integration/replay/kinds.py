"""
The kinds of change of the battery. changes(value) gives (kind, path, changed value) for everything that can be changed in a
body of JSON: each text, number, word and list in turn. What a place means (a tool's argument, a prompt) is its role.
"""

import copy
import re

# Members of a request to a model that are compared apart, and those that only name the user: they have tests of their own.
SAMPLING = {"temperature", "top_p", "top_k", "seed", "max_tokens", "max_completion_tokens", "max_output_tokens",
            "presence_penalty", "frequency_penalty"}
CONFIG = {"generationConfig": {"temperature", "topP", "topK", "maxOutputTokens"}, "options": {"temperature", "top_p", "seed"}}
IGNORED = {"user", "prompt_cache_key", "safety_identifier"}  # they say who asks


def pointer(path):
    return "".join("/" + str(p).replace("~", "~0").replace("/", "~1") for p in path)


def put(root, path, value):
    """A copy of root with another value there."""
    if not path:
        return value
    root = copy.deepcopy(root)
    at = root
    for p in path[:-1]:
        at = at[p]
    at[path[-1]] = value
    return root


def leaves(value, path=()):
    """(path, value) of everything, containers too."""
    yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield from leaves(one, (*path, key))


def other(c):
    return "b" if c == "a" else "a"


def texts(s):
    """(kind, other text)"""
    middle = len(s) // 2
    yield "one character more", s + "x"
    if s:
        yield "one character another", s[:middle] + other(s[middle]) + s[middle + 1:]
        yield "the last character gone", s[:-1]
        yield "a text emptied", ""
        yield "a blank more", s[:middle] + " " + s[middle:]
    if " " in s:
        yield "a blank doubled", s.replace(" ", "  ", 1)
        yield "a blank a line feed", s.replace(" ", "\n", 1)
    if s.swapcase() != s:
        yield "case", s.swapcase()
    if "é" in s:
        yield "another form of the same letter", s.replace("é", "e\u0301")
    for year in re.findall(r"\b20\d\d\b", s)[:1]:
        yield "another year", s.replace(year, str(int(year) + 1))
    for day in re.findall(r"\b20\d\d-\d\d-(\d\d)\b", s)[:1]:
        yield "another day", s.replace("-" + day, f"-{(int(day) + 3) % 28 + 1:02}")
    for digits in re.findall(r"\b\d+\b", s)[:1]:
        yield "a number in a text", s.replace(digits, str(int(digits) + 1), 1)


def numbers(n):
    yield "a number one more", n + 1
    yield "a number its negative", -n if n else -1
    yield "a number a text", str(n)
    yield "a fraction more", n + 0.5


def scalars(value):
    if isinstance(value, str):
        yield from texts(value)
    elif isinstance(value, bool):
        yield "true and false", not value
        yield "a word a number", int(value)
    elif isinstance(value, (int, float)):
        yield from numbers(value)
    elif value is None:
        yield "null a word", False
        yield "null an empty text", ""


def lists(value):
    """(kind, the first index that differs, other list)"""
    for i in range(len(value)):
        rest = value[:i] + value[i + 1:]
        yield "an element gone", next((k for k in range(i, len(rest)) if rest[k] != value[k]), len(rest)), rest
        yield "an element twice", next((k for k in range(i + 1, len(value)) if value[k] != value[k - 1]), len(value)), \
            value[:i + 1] + value[i:]
        if i + 1 < len(value) and value[i] != value[i + 1]:
            yield "two elements exchanged", i, value[:i] + [value[i + 1], value[i]] + value[i + 2:]


def is_apart(path):
    """Whether the place is compared by itself, or not at all."""
    return len(path) > 0 and (path[0] in SAMPLING or path[0] in IGNORED or path[:2] == ("metadata", "user_id") or
                              (len(path) > 1 and path[1] in CONFIG.get(path[0], ())))


def changes(root):
    """(kind, pointer of the first difference, the body changed)"""
    for path, value in leaves(root):
        if is_apart(path):
            continue
        for kind, changed in scalars(value):
            yield kind, pointer(path), put(root, path, changed)
        if isinstance(value, dict):
            yield "a member more", pointer((*path, "zz")), put(root, path, {**value, "zz": 1})
            for key in value:
                if is_apart((*path, key)):
                    continue
                kind = "null absent" if value[key] is None else "a member gone"
                yield kind, pointer((*path, key)), put(root, path, {k: v for k, v in value.items() if k != key})
                yield "a member another name", pointer((*path, key)), put(root, path, {(k + "_" if k == key else k): v for k, v in value.items()})
        if isinstance(value, list) and path != ("tools",):
            for kind, at, changed in lists(value):
                yield kind, pointer((*path, at)), put(root, path, changed)
        if isinstance(value, list) and path == ("tools",):
            for i in range(len(value)):
                yield "a tool gone", "/tools", put(root, path, value[:i] + value[i + 1:])
                yield "a tool twice", "/tools", put(root, path, value + [value[i]])
