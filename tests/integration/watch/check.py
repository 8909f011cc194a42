"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate")]

import files
import harness
import sets
from watching import Watching

SETS = {
    "files": files.run,
    "kill": files.kill,
    "old": sets.old,
    "memory": sets.memory,
    "hosts": sets.hosts,
    "live": sets.live,
    "share": sets.share,
    "promtool": sets.promtool,
    "parser": sets.parser,
}

harness.main(SETS, Watching)
