"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate"), os.path.join(HERE, "..", "otlp")]

import conventions
import harbor
import harness
import langsmith_set
import phoenix_set
import proto
import rules
import sessions
from documents import Reading

SETS = {
    "rules": rules.run,
    "harbor": harbor.run,
    "conventions": conventions.run,
    "proto": proto.run,
    "phoenix": phoenix_set.run,
    "sessions": sessions.run,
    "langsmith": langsmith_set.run,
}

harness.main(SETS, Reading, only_when_named=("harbor", "conventions", "proto", "phoenix", "sessions", "langsmith"))
