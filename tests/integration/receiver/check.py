"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", name) for name in ("record", "validate", "otlp")]

import corpora
import forwarded
import harness
import instrumented
import joined
import passed
import taken
from recording import Recording

SETS = {"taken": taken.run, "passed": passed.run, "corpora": corpora.run, "joined": joined.run, "instrumented": instrumented.run,
        "forwarded": forwarded.run}

# With --otlp they are not set for the child, and those who wait for them are told so.
NO_SERVICES = {name: "-" for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST", "GOOGLE_GEMINI_BASE_URL")}


class Receiving(Recording):
    def hold(self, upstream=None, options=(), more=None, **others):
        more = {**(NO_SERVICES if "--otlp" in options else {}), **(more or {})}
        return super().hold(upstream, options, more=more, **others)


harness.main(SETS, Receiving, only_when_named=("instrumented", "forwarded"))
