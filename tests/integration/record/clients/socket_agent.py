"""An agent over a WebSocket: warms up, asks, answers the tool call by the id of the answer before, says good bye.
usage: socket_agent.py hand|websockets"""

import json
import os
import sys

BASE = os.environ["OPENAI_BASE_URL"]


class Hand:
    def __init__(self):
        sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        import sockets

        self.socket = sockets.dial(BASE)
        self.send, self.receive, self.close = self.socket.send, self.socket.text, self.socket.close


class Package:
    def __init__(self):
        from websockets.sync.client import connect

        self.socket = connect(BASE.replace("http", "ws", 1) + "/responses", proxy=None)
        self.send, self.receive, self.close = self.socket.send, self.socket.recv, self.socket.close


def ask(socket, **more):
    socket.send(json.dumps({"type": "response.create", "model": "m", **more}))
    while True:
        event = json.loads(socket.receive())
        if event["type"] == "error":
            sys.exit(f"{event}")
        if event["type"] == "response.completed":
            return event["response"]


agent = Hand() if sys.argv[1] == "hand" else Package()
warm = ask(agent, generate=False, input=[{"role": "user", "content": "what is there?"}])
answer = ask(agent, previous_response_id=warm["id"], input=[])
call = next(i for i in answer["output"] if i["type"] == "function_call")
result = {"type": "function_call_output", "call_id": call["call_id"], "output": "TOOLMARK 42"}
print(ask(agent, previous_response_id=answer["id"], input=[result])["output"][0]["content"][0]["text"])
agent.close()
