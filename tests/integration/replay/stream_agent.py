"""
An agent that asks for streams of every API, one after the other, and prints the bytes of each answer and how it ended.
usage: stream_agent.py [sockets]
"""

import base64
import http.client
import json
import os
import sys
import urllib.parse

from streams import APIS, ENDS, PIECES, sockets, websocket

BASES = {"gemini": "GOOGLE_GEMINI_BASE_URL", "messages": "ANTHROPIC_BASE_URL", "ollama": "OLLAMA_HOST"}


def ask(api, end, pieces):
    base = urllib.parse.urlsplit(os.environ[BASES.get(api, "OPENAI_BASE_URL")])
    client = http.client.HTTPConnection(base.hostname, base.port)
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": f"{api} {end} {pieces}"}]}
    want = json.dumps({"api": api, "end": end, "pieces": pieces})
    client.request("POST", base.path + APIS[api][0], json.dumps(body), {"Content-Type": "application/json", "x-want": want})
    answer = client.getresponse()
    data, whole = b"", True
    try:
        while piece := answer.read1(65536):
            data += piece
    except (http.client.HTTPException, OSError) as e:
        data += getattr(e, "partial", b"")
        whole = False
    client.close()
    print(api, end, pieces, answer.status, whole, base64.b64encode(data).decode(), flush=True)


def over_socket(end):
    """Two requests through one socket; the second ends as it is wanted."""
    with sockets.dial(os.environ["OPENAI_BASE_URL"]) as s:
        try:
            for text in ("begin", end):
                s.send(websocket.create(text))
                for event in websocket.request_all(s):
                    print(end, event, flush=True)
        except sockets.Gone:
            print(end, "gone", flush=True)


if sys.argv[1:] == ["sockets"]:
    for way in ENDS:
        over_socket(way)
else:
    for one in APIS:
        for way in ENDS:
            for size in PIECES:
                ask(one, way, size)
