"""OpenAI's Python SDK in every way agents use it. Prints what it was answered: nothing else may differ between two runs.
Each part asks a model of its own name, by which its nodes are found in the trace."""

import asyncio
import json

import openai

client = openai.OpenAI(api_key="sk-none", max_retries=1)
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}}
    for name in ("read_file", "get_forecast")
]
FLAT = [{"type": "function", **t["function"], "strict": False} for t in TOOLS]
RESULTS = {"read_file": "FIRST RESULT", "get_forecast": "SECOND RESULT"}


def tell(part, value):
    print(part, value if isinstance(value, str) else json.dumps(value, sort_keys=True), flush=True)


def user(text):
    return {"role": "user", "content": text}


def plain():
    messages = [{"role": "system", "content": "be brief"}, user("plain one")]
    for text in ("plain two", None):
        got = client.chat.completions.create(model="chat-plain", messages=messages)
        tell("chat-plain", got.model_dump_json())
        tell("chat-plain", str(got._request_id))
        messages += [got.choices[0].message.model_dump(exclude_none=True), user(text)]


def stream():
    got = client.chat.completions.create(
        model="chat-stream", messages=[user("stream one")], stream=True, stream_options={"include_usage": True}
    )
    tell("chat-stream", str(got.response.headers.get("x-request-id")))
    for piece in got:
        tell("chat-stream", piece.model_dump_json())


def tools():
    messages = [user("tools one")]
    while True:
        with client.chat.completions.stream(
            model="chat-tools", messages=messages, tools=TOOLS, stream_options={"include_usage": True}
        ) as got:
            final = got.get_final_completion()
        tell("chat-tools", final.model_dump_json())
        message = final.choices[0].message
        if not message.tool_calls:
            return
        calls = [
            {"id": c.id, "type": "function", "function": {"name": c.function.name, "arguments": c.function.arguments}}
            for c in message.tool_calls
        ]
        messages.append({"role": "assistant", "content": message.content, "tool_calls": calls})
        for c in calls:
            messages.append({"role": "tool", "tool_call_id": c["id"], "content": RESULTS[c["function"]["name"]]})


async def together():
    async with openai.AsyncOpenAI(api_key="sk-none") as own:
        asked = [
            own.chat.completions.create(model="chat-async", messages=[user(f"async {n}")]) for n in ("one", "two", "three")
        ]
        got = await asyncio.gather(*asked)
    for text in sorted(g.choices[0].message.content for g in got):
        tell("chat-async", text)


def abort():
    with client.chat.completions.create(model="chat-abort", messages=[user("abort one")], stream=True) as got:
        for piece in got:
            if piece.choices[0].delta.content:
                tell("chat-abort", piece.choices[0].delta.content)
                break


def troubles():
    got = client.chat.completions.create(model="chat-retry", messages=[user("retry one")])
    tell("chat-retry", got.choices[0].message.content)
    try:
        client.chat.completions.create(model="chat-error", messages=[user("error one")])
    except openai.BadRequestError as e:
        tell("chat-error", e.body)


def responses():
    got = client.responses.create(model="responses-plain", instructions="be brief", input="responses plain")
    tell("responses-plain", got.model_dump_json())
    for event in client.responses.create(model="responses-stream", input="responses stream", stream=True):
        tell("responses-stream", event.model_dump_json())


def responses_tools():
    items = [user("responses tools")]
    while True:
        got = client.responses.create(model="responses-tools", input=items, tools=FLAT)
        tell("responses-tools", got.model_dump_json())
        calls = [i for i in got.output if i.type == "function_call"]
        if not calls:
            return
        items += [i.model_dump(exclude_none=True) for i in got.output]
        items += [{"type": "function_call_output", "call_id": c.call_id, "output": RESULTS[c.name]} for c in calls]


def embeddings():
    got = client.embeddings.create(model="embed-small", input=["first text", "second text"], encoding_format="float")
    tell("embed-small", got.model_dump_json())


plain()
stream()
tools()
asyncio.run(together())
abort()
troubles()
responses()
responses_tools()
embeddings()
