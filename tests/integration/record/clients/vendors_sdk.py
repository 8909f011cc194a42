"""Clients of services that speak an API of their own or another's, as their packages come: each asks once, with a tool,
answers the call, and prints what it was told. The first argument names them; nothing but the environment leads them."""

import json
import sys

del sys.path[0]  # a client beside this one has the name of a package

ASK = "what is the weather"
SCHEMA = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
TOOL = {"type": "function", "function": {"name": "look_up", "description": "look", "parameters": SCHEMA}}


def chat_turns(create):
    """Two turns of anybody's chat completions; `create` takes messages and gives an object with choices."""
    messages = [{"role": "user", "content": ASK}]
    first = create(messages).choices[0].message
    call = first.tool_calls[0]
    asked = {"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": call.function.arguments}}
    messages += [
        {"role": "assistant", "content": first.content or "", "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": call.id, "name": call.function.name, "content": "rain"},
    ]
    return create(messages).choices[0].message.content


def groq():
    import groq as sdk
    client = sdk.Groq(api_key="none", max_retries=0)
    return chat_turns(lambda m: client.chat.completions.create(model="groq-model", messages=m, tools=[TOOL]))


def mistral():
    import os

    from mistralai.client import Mistral
    # its package reads no variable: its users give the address of one
    client = Mistral(api_key="none", server_url=os.environ["MISTRAL_BASE_URL"].removesuffix("/v1"))
    return chat_turns(lambda m: client.chat.complete(model="mistral-model", messages=m, tools=[TOOL]))


def cohere():
    import cohere as sdk
    client = sdk.ClientV2(api_key="none")
    messages = [{"role": "user", "content": ASK}]
    first = client.chat(model="cohere-model", messages=messages, tools=[TOOL]).message
    call = first.tool_calls[0]
    messages += [
        {"role": "assistant", "tool_plan": first.tool_plan, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call.id, "content": "rain"},
    ]
    said = [
        e.delta.message.content.text for e in client.chat_stream(model="cohere-model", messages=messages, tools=[TOOL])
        if e.type == "content-delta"
    ]
    return "".join(said)


def gemini():
    from google import genai
    client = genai.Client(api_key="none")
    tool = {"function_declarations": [{"name": "look_up", "parameters_json_schema": SCHEMA}]}
    config = {"tools": [tool]}
    contents = [{"role": "user", "parts": [{"text": ASK}]}]
    first = client.models.generate_content(model="gemini-model", contents=contents, config=config)
    call = first.function_calls[0]
    contents += [
        {"role": "model", "parts": [{"function_call": {"name": call.name, "args": call.args}}]},
        {"role": "user", "parts": [{"function_response": {"name": call.name, "response": {"result": "rain"}}}]},
    ]
    return client.models.generate_content(model="gemini-model", contents=contents, config=config).text


def ollama():
    import ollama as sdk
    messages = [{"role": "user", "content": ASK}]
    first = sdk.chat(model="ollama-model", messages=messages, tools=[TOOL]).message
    messages += [first, {"role": "tool", "tool_name": first.tool_calls[0].function.name, "content": "rain"}]
    return sdk.chat(model="ollama-model", messages=messages, tools=[TOOL]).message.content


def litellm(model):
    import litellm as sdk
    sdk.suppress_debug_info = True
    return chat_turns(lambda m: sdk.completion(model=model, messages=m, tools=[TOOL], api_key="none", num_retries=0))


CLIENTS = {
    "groq": groq, "mistral": mistral, "cohere": cohere, "gemini": gemini, "ollama": ollama,
    **{f"litellm-{n}": lambda m=m: litellm(m) for n, m in {
        "groq": "groq/groq-model", "mistral": "mistral/mistral-model", "cohere": "cohere_chat/v2/cohere-model",
        "gemini": "gemini/gemini-model", "anthropic": "anthropic/anthropic-model", "openai": "openai/openai-model",
        "xai": "xai/xai-model", "deepseek": "deepseek/deepseek-model", "openrouter": "openrouter/vendor/openrouter-model",
        "together": "together_ai/together-model", "fireworks": "fireworks_ai/fireworks-model",
    }.items()},
}

for name in sys.argv[1:]:
    print(name, json.dumps(CLIENTS[name]()), flush=True)
