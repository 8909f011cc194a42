"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate"), os.path.join(HERE, "..", "convert")]

import canary
import dag
import faults
import harness
import http1
import kills
import options
import passing
import sdks
import streamed
import tls
from recording import Recording

SETS = {
    "sdks": sdks.run,
    "dag": dag.run,
    "options": options.run,
    "passing": passing.run,
    "streams": streamed.run,
    "http1": http1.run,
    "canary": canary.run,
    "kills": kills.run,
    "faults": faults.run,
    "tls": tls.run,
}

harness.main(SETS, Recording)
