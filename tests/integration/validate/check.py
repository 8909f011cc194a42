"""Runs the sets of this directory and adds up. Called by run."""

import fsck
import harness
import ids
import json_text
import logs
import naughty
import secrets_set
import streams
import traces
import vendors

SETS = {
    "json": json_text.run,
    "traces": traces.run,
    "ids": ids.run,
    "secrets": secrets_set.run,
    "streams": streams.run,
    "naughty": naughty.run,
    "logs": logs.run,
    "vendors": vendors.run,
    "fsck": fsck.run,
}

harness.main(SETS)
