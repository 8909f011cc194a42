"""A log as a stranger reads it: checkpoint, bundles, and the hashes of RFC 6962, without the program."""

import base64
import hashlib
import os


class NotWhole(Exception):
    """The files do not make up the log that the checkpoint speaks of."""


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def leaf(entry):
    return hashlib.sha256(b"\0" + entry).digest()


class Tree:
    """Roots of every prefix, one leaf at a time."""

    def __init__(self):
        self.stack, self.size = [], 0

    def add(self, hash_):
        self.stack.append(hash_)
        self.size += 1
        n = self.size
        while n % 2 == 0:
            right = self.stack.pop()
            self.stack[-1] = node(self.stack[-1], right)
            n //= 2

    def root(self):
        if not self.stack:
            return hashlib.sha256(b"").digest()
        root = self.stack[-1]
        for left in reversed(self.stack[:-1]):
            root = node(left, root)
        return root


def parse(note):
    """(size, root) of a signed checkpoint; its signature is the program's to check."""
    lines = note.split(b"\n")
    if len(lines) < 6 or lines[3] != b"" or not note.endswith(b"\n"):
        raise NotWhole(f"not a checkpoint: {note[:80]!r}")
    return int(lines[1]), base64.b64decode(lines[2], validate=True)


def path_of(n):
    parts = [f"{n % 1000:03d}"]
    while n >= 1000:
        n //= 1000
        parts.insert(0, f"x{n % 1000:03d}")
    return "/".join(parts)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def bundle(ledger, n, width):
    full = os.path.join(ledger, "tile", "entries", path_of(n))
    for path in (full, f"{full}.p/{width}") if width == 256 else (f"{full}.p/{width}", full):
        try:
            return read(path)
        except FileNotFoundError:
            pass
    raise NotWhole(f"bundle {n} of width {width} is not there")


def entries(ledger, size):
    found = []
    for n in range((size + 255) // 256):
        width = min(256, size - n * 256)
        bytes_, at = bundle(ledger, n, width), 0
        for _ in range(width):
            length = int.from_bytes(bytes_[at : at + 2], "big")
            if at + 2 + length > len(bytes_):
                raise NotWhole(f"bundle {n} is cut off")
            found.append(bytes_[at + 2 : at + 2 + length])
            at += 2 + length
    return found


def whole(ledger):
    """(entries, roots of all prefixes) of what is published; raises NotWhole."""
    try:
        size, root = parse(read(os.path.join(ledger, "checkpoint")))
    except OSError as e:
        raise NotWhole(str(e)) from e
    found, tree = entries(ledger, size), Tree()
    roots = [tree.root()]
    for entry in found:
        tree.add(leaf(entry))
        roots.append(tree.root())
    if roots[size] != root:
        raise NotWhole(f"the root of the {size} entries is not the checkpoint's")
    return found, roots


def temporary_files(ledger):
    return [os.path.join(d, n) for d, _, names in os.walk(ledger) for n in names if n.startswith(".tmp")]
