"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", name) for name in ("record", "validate", "agents", "mcp")]

import causes
import faults
import harness
import mutations
import real
import streams
import together
from replaying import Replaying

SETS = {
    "mutations": mutations.run,
    "together": together.run,
    "causes": causes.run,
    "streams": streams.run,
    "faults": faults.run,
    "sdks": real.run,
}

harness.main(SETS, Replaying)
