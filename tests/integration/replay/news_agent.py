"""
An agent that asks the model four times, and between them searches the web, asks an MCP server for the time and lets a
command tell it. All three results are other ones in every run. YEAR, WORD and LAST change one message each.
usage: news_agent.py TRACKWAY
"""

import json
import os
import subprocess
import sys
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
messages = [{"role": "user", "content": f"What is planned for {os.environ.get('YEAR', '2031')}? Today is not important."}]


def post(url, body, **headers):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request) as got:
        return json.load(got)


def ask(ident, user, tool=None):
    want = {"id": ident, "text": None if tool else f"answer {ident}", "calls": [(f"call_{ident}", tool, {})] if tool else []}
    message = post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", {"model": "m", "messages": messages}, **{"x-want": json.dumps(want)})
    messages.append(message["choices"][0]["message"])
    return messages.append(user) if user else None


def clock():
    """The time, as an MCP server tells it."""
    server = subprocess.Popen([sys.argv[1], "mcp", "--", sys.executable, "-B", os.path.join(HERE, "mcp_server.py")],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(ident, method, **params):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}).encode() + b"\n")
        server.stdin.flush()
        while (got := json.loads(server.stdout.readline())).get("id") != ident:
            pass
        return got["result"]

    call(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "news", "version": "1"})
    text = call(1, "tools/call", name="time", arguments={})["content"][0]["text"]
    server.stdin.close()
    server.wait()
    return text


ask("n1", {"role": "user", "content": f"and what {os.environ.get('WORD', 'tomorrow')}?"}, "web_search")
found = post(os.environ["TRACKWAY_UPSTREAM_SEARCH"] + "/search", {"query": "news"})
ask("n2", {"role": "user", "content": f"the search says {found['results']}"}, "clock")
messages.append({"role": "user", "content": clock()})
date = subprocess.run(["bash", "-c", "date +%s.%N; date"], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout.decode()
ask("n3", {"role": "user", "content": f"it is {date}"})
messages.append({"role": "user", "content": os.environ.get("LAST", "thanks")})
ask("n4", None)
print("done", json.dumps(messages))
