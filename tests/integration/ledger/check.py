"""Runs the sets of this directory and adds up. Called by run."""

import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate")]

import harness
import kills

SETS = {
    "writes": kills.at_each_write,
    "random": kills.at_random,
}


def seeded(program, shared):
    suite = harness.Suite(program, shared)
    suite.seed = int(os.environ.get("SEED", "1"))
    suite.random = random.Random(suite.seed)
    return suite


harness.main(SETS, seeded)
