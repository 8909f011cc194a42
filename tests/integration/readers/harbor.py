"""Harbor's own models of ATIF, from its package on PyPI. They need nothing but pydantic."""

import json
import os
import subprocess
import sys

from documents import is_atif, source_documents
from harness import packages

VERSION = "harbor==0.25.0"
WANTED = f"{VERSION}\npydantic==2.14.3\n"
# The package asks for a Python that need not be here; its models do not. So it is unpacked, not installed.
CHECK = r"""
import json, sys
from pydantic import ValidationError
from harbor.models.trajectories import Trajectory

def wrong(document):
    try:
        Trajectory.model_validate(document)
    except ValidationError as e:
        first = e.errors()[0]
        return ".".join(map(str, first["loc"])) + ": " + first["msg"]

for line in sys.stdin:
    print(json.dumps(wrong(json.loads(line))), flush=True)
"""


def commands(where):
    python = os.path.join(where, "bin", "python3")
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = ["download", "--no-deps", "--python-version", "3.12", "--only-binary=:all:", "-d", where, VERSION]
    unpack = "import glob, zipfile; zipfile.ZipFile(glob.glob('harbor-*.whl')[0]).extractall('unpacked')"
    return [[sys.executable, "-m", "venv", where], [*pip, "install", WANTED.splitlines()[1]], [*pip, *wheel], [python, "-c", unpack]]


class Models:
    """A process that gives the models' verdict about one document after the other."""

    def __init__(self, where):
        env = {**os.environ, "PYTHONPATH": os.path.join(where, "unpacked")}
        python = os.path.join(where, "bin", "python3")
        self.child = subprocess.Popen([python, "-c", CHECK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, text=True)

    def wrong(self, document):
        self.child.stdin.write(json.dumps(document) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def check_sample(models, s, figures):
    """Every document must be valid, unless the source was a document that is not."""
    sources = source_documents(s.path)
    sources = sources if sources and all(map(is_atif, sources)) else []
    if any(models.wrong(d) for d in sources):
        figures["sources refused"] += 1
        return None
    figures["valid sources" if sources else "other formats"] += 1
    for d in s.documents("atif"):
        wrong = models.wrong(d)
        if wrong:
            return (s.name, wrong)
    return None


def run(suite):
    where = packages(suite, "readers-harbor", WANTED, commands)
    if not where:
        return
    samples = suite.samples("atif")
    models = Models(where)
    figures = {"other formats": 0, "valid sources": 0, "sources refused": 0}
    good = {"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"}, "steps": [{"step_id": 1, "source": "user", "message": ""}]}
    told = models.wrong({**good, "agent": {"name": "a", "version": "1", "tool_definitions": ["f"]}})
    suite.check("harbor: the models tell good from bad", [] if told and not models.wrong(good) else [("models", told)], 2)
    bad = [hit for hit in (check_sample(models, s, figures) for s in samples) if hit]
    models.close()
    suite.note(", ".join(f"{n} {what}" for what, n in figures.items()))
    suite.check("harbor: its models accept every document that we write", bad, len(samples))
