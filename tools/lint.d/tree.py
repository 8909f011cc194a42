"""The files of a tree and what was found in them."""

import fnmatch
import os
import subprocess

from csource import Source

# Inputs and expected outputs: their bytes are the point, whatever they look like.
DATA = ("tests/data/*", "tests/fuzz/corpus/*", "tests/lint/*.case", "*.out", "*.err", "LICENSE")


class Finding:
    """Something wrong: where, under which rule, what to do. name is the function or variable meant."""

    def __init__(self, path, line, text, name=None, note=False):
        self.path, self.line, self.text, self.name, self.note = path, line, text, name, note
        self.rule = None

    def __str__(self):
        where = f"{self.path}:{self.line}" if self.line else self.path
        return f"{where}: [{self.rule}] {'note: ' if self.note else ''}{self.text}"


class Tree:
    def __init__(self, root):
        self.root = root
        self.paths = sorted(p for p in self._list() if os.path.isfile(os.path.join(root, p)))
        self._sources = {}

    def _list(self):
        """What git would commit, or without git everything but build/."""
        git = subprocess.run(
            ["git", "-C", self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
        )
        if git.returncode == 0:
            return [p for p in git.stdout.decode().split("\0") if p]
        found = []
        for directory, _, names in os.walk(self.root):
            found += [os.path.relpath(os.path.join(directory, n), self.root) for n in names]
        return [p for p in found if not p.startswith(("build/", ".git/"))]

    def has(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def read(self, path):
        with open(os.path.join(self.root, path), "rb") as f:
            return f.read()

    def text(self, path):
        return self.read(path).decode("utf-8", "replace")

    def match(self, *patterns):
        return [p for p in self.paths if any(fnmatch.fnmatchcase(p, g) for g in patterns)]

    def texts(self):
        """(path, text) of everything people write: no data, nothing binary."""
        for path in self.paths:
            if any(fnmatch.fnmatchcase(path, g) for g in DATA):
                continue
            content = self.read(path)
            if b"\0" not in content:
                yield path, content.decode("utf-8", "replace")

    def source(self, path):
        if path not in self._sources:
            self._sources[path] = Source(path, self.text(path))
        return self._sources[path]

    def product(self):
        """The C of the program and the library."""
        return [self.source(p) for p in self.match("src/*.[ch]", "include/*.h")]

    def all_c(self):
        return [self.source(p) for p in self.match("*.c", "*.h")]

    def scripts(self):
        """Shell scripts, by name or by first line."""
        for path, text in self.texts():
            first = text.split("\n", 1)[0]
            if path.endswith(".sh") or (first.startswith("#!") and first.rstrip().endswith(("sh", "bash"))):
                yield path


def room_of(path):
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None
