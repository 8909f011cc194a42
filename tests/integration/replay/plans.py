"""The runs that the battery changes: an agent for each lane, as lists of steps for player.py."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def want(ident, text=None, calls=(), **more):
    return {"id": ident, "text": text, "calls": list(calls), **more}


def tool(name, about):
    return {"type": "function", "function": {"name": name, "description": about, "strict": True, "parameters": {
        "type": "object", "properties": {"x": {"type": "string", "maxLength": 40}, "days": {"type": "integer", "default": 1}},
        "required": ["x"], "additionalProperties": False}}}


def user(text):
    return {"role": "user", "content": text}


def chat(messages, answer, **more):
    tools = [tool("forecast", "The weather of a city."), tool("read_file", "Reads a file, whole.")]
    body = {"model": "gpt-4o", "messages": messages, "tools": tools, "tool_choice": "auto", "parallel_tool_calls": True,
            "temperature": 0.5, "max_tokens": 100, "stop": None, "n": 1, **more}
    return {"ask": {"target": "/chat/completions", "body": body, "want": answer}}


def conversation():
    """Two tools at once, their results, and one more turn."""
    opening = [{"role": "system", "content": "You are a clerk. The café's year ends on 2031-04-05."},
               {"role": "user", "name": "ann", "content": [{"type": "text", "text": "Weather in Oslo for 3 days, please."}, {
                   "type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}}]}]
    calls = [("call_1", "forecast", {"x": "Oslo", "days": 3}), ("call_2", "read_file", {"x": "notes.txt"})]
    made = [{"id": i, "type": "function", "function": {"name": n, "arguments": '{"x": "%s"}' % a["x"]}} for i, n, a in calls]
    results = [{"role": "tool", "tool_call_id": "call_1", "content": "7 degrees and rain"},
               {"role": "tool", "tool_call_id": "call_2", "content": '{"lines": 2, "last": "2030-01-02"}'}]
    second = [*opening, {"role": "assistant", "content": None, "tool_calls": made}, *results]
    third = [*second, {"role": "assistant", "content": "Take a coat."}, user("And tomorrow?")]
    return [chat(opening, want("a1", None, calls)), chat(second, want("a2", "Take a coat.")),
            chat(third, want("a3", "The same.")), {"say": "done"}]


def vendors():
    """One request of each other API."""
    messages = {"model": "claude-sonnet-4-5", "max_tokens": 50, "metadata": {"user_id": "u1", "team": "a"},
                "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
                "thinking": {"type": "enabled", "budget_tokens": 1024},
                "tools": [{"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}],
                "messages": [user("1 and 2"),
                             {"role": "assistant", "content": [
                                 {"type": "thinking", "thinking": "hm", "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"},
                                 {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1, "b": 2.5, "exact": False}}]},
                             {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "is_error": False, "content": "3.5"}]}]}
    responses = {"model": "gpt-5", "instructions": "be brief", "store": False, "include": ["reasoning.encrypted_content"],
                 "reasoning": {"effort": "low", "summary": None},
                 "input": [user("go"), {"type": "function_call", "call_id": "c1", "name": "add", "arguments": '{"a":1}'},
                           {"type": "function_call_output", "call_id": "c1", "output": "2"}]}
    gemini = {"systemInstruction": {"parts": [{"text": "be brief"}]}, "generationConfig": {
        "temperature": 0.1, "responseMimeType": "application/json", "responseSchema": {"type": "OBJECT", "required": ["sum"]}},
              "contents": [{"role": "user", "parts": [{"text": "go"}]},
                           {"role": "model", "parts": [{"functionCall": {"name": "add", "args": {"a": 1, "b": True}}}]},
                           {"role": "user", "parts": [{"functionResponse": {"name": "add", "response": {"sum": 2}}}]}]}
    return [{"ask": {"service": "anthropic", "target": "/v1/messages?beta=true", "body": messages, "want": want("m1", "3.5")}},
            {"ask": {"target": "/responses", "body": responses, "want": want("r1", "yes")}},
            {"ask": {"service": "gemini", "target": "/v1beta/models/gemini-2.5-flash:generateContent", "body": gemini, "want": want("g1", "yes")}},
            {"ask": {"target": "/models", "method": "GET", "want": want("l1", "list")}},
            {"ask": {"target": "/raw", "raw": "no JSON at all, line 1\nline 2", "want": want("t1", "yes")}},
            {"say": "done"}]


def crowd():
    """Two groups of sub-agents at once, and a turn before, between and behind them."""
    def sub(n, text):
        return {"ask": {"target": "/chat/completions", "want": want(f"s{n}", f"part {n}", delay=0.3),
                        "body": {"model": "gpt-4o", "messages": [{"role": "system", "content": f"You are reviewer {n}."}, user(text)]}}}

    return [turn(1), {"together": [sub(n, "look at it") for n in (1, 2, 3)]}, turn(2), {"together": [sub(n, "look again") for n in (4, 5)]},
            turn(3), {"say": "done"}]


def volatile():
    """Values that are new in every run."""
    first = [user("session @UUID-a@ of @UUID-b@, begun at @NOW@, report of 2019-07-08")]
    second = [*first, {"role": "assistant", "content": "ok"}, user("again @UUID-a@ and not @UUID-c@, on @DATE@")]
    return [{"ask": {"target": "/chat/completions", "want": want(f"v{n}", "ok"), "body": {"model": "gpt-4o", "messages": m}}}
            for n, m in enumerate((first, second))] + [{"say": "done"}]


def turn(n):
    return {"ask": {"target": "/chat/completions", "want": want(f"t{n}", f"turn {n}"),
                    "body": {"model": "gpt-4o", "messages": [{"role": "system", "content": "You lead the review."}, user(f"turn {n}")]}}}


def call(ident, name, arguments, **meta):
    params = {"name": name, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params}


def servers(program):
    """MCP with sessions: progress, cancellation, questions to the user and to the model."""
    begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"sampling": {}, "elicitation": {}}, "clientInfo": {"name": "player", "version": "1.0"}}}
    return [turn(1), {"server": [program, "mcp", "--", sys.executable, "-B", os.path.join(HERE, "mcp_server.py")]},
            {"mcp": {"send": [begin]}},
            {"mcp": {"send": [{"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                                                            "params": {}}]}},
            {"mcp": {"send": [call(2, "add", {"a": 1, "b": [2, 3.5], "exact": True, "unit": None})]}},
            turn(2),
            {"mcp": {"send": [call(3, "ask", {"topic": "words"})]},
             "answers": {"elicitation/create": {"result": {"action": "accept", "content": {"word": "blue", "sure": True}}}}},
            turn(3),
            {"mcp": {"send": [call(4, "think", {})]},
             "answers": {"sampling/createMessage": {"result": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "because"}}}}},
            turn(4),
            {"mcp": {"send": [call(5, "slow", {"n": 3}, progressToken="p5")]}},
            turn(5),
            {"mcp": {"send": [call(6, "wait", {}), {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 6,
                                                            "reason": "too slow"}}]}},
            turn(6),
            {"mcp": {"send": [{"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": "file:///notes.txt"}}]}},
            {"say": "done"}]


def stateless(program):
    """MCP without sessions, the revision 2026-07-28."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    return [turn(1), {"server": [program, "mcp", "--", sys.executable, "-B", os.path.join(HERE, "mcp_server.py")]},
            {"mcp": {"send": [{"jsonrpc": "2.0", "id": "a", "method": "server/discover", "params": {"_meta": meta}}]}},
            {"mcp": {"send": [call("b", "add", {"a": 1}, **meta)]}},
            turn(2),
            {"mcp": {"send": [call("c", "add", {"a": 2}, **meta)]}},
            {"say": "done"}]


def commands():
    """Commands of tools, each after a request to the model. Input is a file, so that it is known."""
    ran = [{"argv": ["bash", "-c", "echo one; echo two >&2; exit 3"], "stdin": ""},
           {"argv": ["cat"], "stdin": "some input\n"},
           {"argv": ["bash", "-c", "pwd | sed s,.*/,,"], "stdin": "", "cwd": "sub/dir", "env": {"LANG": "C.UTF-8"}},
           {"argv": ["git", "--version"], "stdin": ""}]
    steps = [step for n, one in enumerate(ran) for step in (turn(n), {"run": one})]
    return [*steps, turn(9), {"say": "done"}]


def piped():
    """A command whose input is a pipe that somebody may still write to."""
    return [turn(1), {"run": {"argv": ["cat"], "piped": "some input\n"}}, {"say": "done"}]
