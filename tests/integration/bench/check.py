"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate")]

import browser
import detecting
import faulty
import harness
import hostile
import paired
import patterns
import resuming
import runs
import schemas
import validators
from driving import Driving

SETS = {
    "detect": detecting.run,
    "validators": validators.run,
    "patterns": patterns.run,
    "schemas": schemas.run,
    "hostile": hostile.run,
    "browser": browser.run,
    "runs": runs.run,
    "faults": faulty.run,
    "resume": resuming.run,
    "compare": paired.run,
}

harness.main(SETS, lambda program, shared: Driving(os.environ["DRIVE"]))
