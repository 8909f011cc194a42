"""What names and opening lines must tell. Each rule is a generator of findings; its doc string names it."""

from csource import TOKEN
from names import twice_in_room
from tree import Finding

TWICE = "tools/lint.d/twice"


def read_twice(tree):
    """{(room, name): line number} of the names that may still stand twice."""
    entries = {}
    lines = tree.text(TWICE).split("\n") if tree.has(TWICE) else []
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if len(words) == 2:
            entries[tuple(words)] = number
    return entries


def static_names(tree):
    """a static name stands once in its room; what is listed in tools/lint.d/twice may only become less"""
    known, seen = read_twice(tree), set()
    for room, name, paths in twice_in_room(tree.product()):
        seen.add((room, name))
        if (room, name) in known:
            continue
        others = ", ".join(sorted(set(paths))[1:]) or "the same file"
        text = f"{name} stands in {others} too; put the noun of its file before it"
        yield Finding(sorted(paths)[0], 0, text, name)
    for entry, number in known.items():
        if entry not in seen:
            text = f"{entry[1]} stands only once in {entry[0]} now; remove the line"
            yield Finding(TWICE, number, text, entry[1])


def begins_with_comment(source):
    first = TOKEN.search(source.text)
    return first is not None and first.lastgroup == "comment"


def openings(tree):
    """a file opens with a sentence that says what it is; a .c may leave that to its header"""
    for source in tree.product():
        if begins_with_comment(source):
            continue
        header = source.path[:-1] + "h"
        if source.path.endswith(".c") and tree.has(header) and begins_with_comment(tree.source(header)):
            continue
        yield Finding(source.path, 1, "no opening sentence; say in a comment at the top what this file is")


RULES = [static_names, openings]
