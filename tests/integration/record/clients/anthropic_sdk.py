"""Anthropic's Python SDK in every way agents use it; see openai_sdk.py."""

import asyncio

import anthropic

client = anthropic.Anthropic(api_key="sk-none", max_retries=1)
TOOLS = [
    {"name": name, "input_schema": {"type": "object", "properties": {"x": {"type": "string"}}}}
    for name in ("read_file", "get_forecast")
]
RESULTS = {"read_file": "FIRST RESULT", "get_forecast": "SECOND RESULT"}


def tell(part, text):
    print(part, text, flush=True)


def user(text):
    return {"role": "user", "content": text}


def plain():
    messages = [user("plain one")]
    for text in ("plain two", None):
        got = client.messages.create(model="messages-plain", max_tokens=99, system="be brief", messages=messages)
        tell("messages-plain", got.model_dump_json())
        tell("messages-plain", got._request_id)
        messages += [{"role": "assistant", "content": got.content[0].text}, user(text)]


def stream():
    got = client.messages.create(model="messages-stream", max_tokens=99, messages=[user("stream one")], stream=True)
    tell("messages-stream", got.response.headers.get("request-id"))
    for event in got:
        tell("messages-stream", event.model_dump_json())


def tools():
    messages = [user("tools one")]
    while True:
        with client.messages.stream(model="messages-tools", max_tokens=99, messages=messages, tools=TOOLS) as got:
            final = got.get_final_message()
        tell("messages-tools", final.model_dump_json())
        calls = [b for b in final.content if b.type == "tool_use"]
        if not calls:
            return
        said = [b.model_dump(exclude_none=True, include={"type", "text", "id", "name", "input"}) for b in final.content]
        results = [{"type": "tool_result", "tool_use_id": c.id, "content": RESULTS[c.name]} for c in calls]
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": results}]


async def together():
    async with anthropic.AsyncAnthropic(api_key="sk-none") as own:
        asked = [
            own.messages.create(model="messages-async", max_tokens=99, messages=[user(f"async {n}")])
            for n in ("one", "two", "three")
        ]
        got = await asyncio.gather(*asked)
    for text in sorted(g.content[0].text for g in got):
        tell("messages-async", text)


def abort():
    with client.messages.create(model="messages-abort", max_tokens=99, messages=[user("abort one")], stream=True) as got:
        for event in got:
            if event.type == "content_block_delta":
                tell("messages-abort", event.delta.text)
                break


def troubles():
    got = client.messages.create(model="messages-retry", max_tokens=99, messages=[user("retry one")])
    tell("messages-retry", got.content[0].text)
    try:
        client.messages.create(model="messages-error", max_tokens=99, messages=[user("error one")])
    except anthropic.BadRequestError as e:
        tell("messages-error", str(e.body))


plain()
stream()
tools()
asyncio.run(together())
abort()
troubles()
