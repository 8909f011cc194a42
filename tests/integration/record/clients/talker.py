"""An agent that asks without end, streamed and not, until the connection breaks. Says then how it broke, and ends."""

import http.client
import json
import os
import sys
import urllib.parse

where = urllib.parse.urlsplit(os.environ["OPENAI_BASE_URL"])


def ask(conn, number):
    streamed = number % 2 == 0
    body = {"model": "m", "stream": streamed, "messages": [{"role": "user", "content": f"turn {number}"}]}
    conn.request("POST", where.path + "/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
    return conn.getresponse().read()


print("begins", flush=True)
try:
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=4)
    for turn in range(1 << 30):
        if b"token" not in ask(connection, turn):
            sys.exit("an answer without its text")
except TimeoutError:
    print("hung")
except (OSError, http.client.HTTPException) as e:
    print("broke", type(e).__name__)
