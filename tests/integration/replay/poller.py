"""
OpenAI's SDK as agents use it that wait: a job with an id and a time of our own is asked for again and again, with the same
request each time, until it is done. A failure between is tried again by the SDK.
"""

import datetime
import uuid

import openai

client = openai.OpenAI(api_key="sk-none", max_retries=2)
job, begun = str(uuid.uuid4()), datetime.datetime.now(datetime.timezone.utc).isoformat()
messages = [{"role": "system", "content": f"Session {uuid.uuid4()}"}, {"role": "user", "content": f"Job {job} of {begun}: is it done?"}]
for n in range(8):
    with client.chat.completions.stream(model="poll", messages=messages) as stream:
        text = stream.get_final_completion().choices[0].message.content
    print(n, text)
    if text == "done":
        break
messages += [{"role": "assistant", "content": text}, {"role": "user", "content": f"close {job}, please"}]
print(client.chat.completions.create(model="close", messages=messages).choices[0].message.content)
