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
import intercept
import kills
import options
import passing
import scenes
import sdks
import streamed
import tees
import tls
import vendors
import websocket
from recording import Recording

SETS = {
    "sdks": sdks.run,
    "dag": dag.run,
    "scenes": scenes.run,
    "options": options.run,
    "passing": passing.run,
    "streams": streamed.run,
    "http1": http1.run,
    "canary": canary.run,
    "kills": kills.run,
    "faults": faults.run,
    "tees": tees.run,
    "tls": tls.run,
    "vendors": vendors.run,
    "websocket": websocket.run,
    "websockets": websocket.packaged,
    "intercept": intercept.run,
}

harness.main(SETS, Recording)
