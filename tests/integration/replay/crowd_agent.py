"""
An agent that asks MANY requests of one template at once, in the order of SHUFFLE, and prints whose answers it got: "own",
"miss" or "swapped". ODD=N makes the N-th prompt another one; TWICE=N makes the N-th request once more.
"""

import http.client
import json
import os
import random
import threading
import urllib.parse
import uuid

MANY = int(os.environ.get("MANY", "200"))
BASE = urllib.parse.urlsplit(os.environ["OPENAI_BASE_URL"])
RUN = str(uuid.uuid4())
said = []
ready = threading.Barrier(MANY + ("TWICE" in os.environ))


def ask(n):
    name = f"{n}" if str(n) != os.environ.get("ODD") else "nobody"
    messages = [{"role": "system", "content": f"You are reviewer {name}. Session {RUN}, call {uuid.uuid5(uuid.UUID(RUN), str(n))}."},
                {"role": "user", "content": "Review the change. " * 20}]
    client = http.client.HTTPConnection(BASE.hostname, BASE.port, timeout=60)
    client.connect()
    ready.wait()
    client.request("POST", BASE.path + "/chat/completions", json.dumps({"model": "m", "messages": messages}), {"Content-Type": "application/json"})
    got = client.getresponse()
    text = got.read().decode()
    client.close()
    whose = "miss" if got.status == 400 else "own" if f"I am reviewer {name}." in text else "swapped"
    said.append(f"{n} {whose}")


order = list(range(MANY)) + ([int(os.environ["TWICE"])] if "TWICE" in os.environ else [])
random.Random(int(os.environ.get("SHUFFLE", "0"))).shuffle(order)
threads = [threading.Thread(target=ask, args=(n,)) for n in order]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(*sorted(said), sep="\n")
