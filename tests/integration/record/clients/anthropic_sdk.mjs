// Anthropic's SDK for Node; see openai_sdk.py.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.CLIENT_PACKAGES}/`);
const { default: Anthropic } = await import(pathToFileURL(require.resolve("@anthropic-ai/sdk")));

const client = new Anthropic({ apiKey: "sk-none", maxRetries: 1 });
const input_schema = { type: "object", properties: { x: { type: "string" } } };
const tools = ["read_file", "get_forecast"].map((name) => ({ name, input_schema }));
const results = { read_file: "FIRST RESULT", get_forecast: "SECOND RESULT" };

const tell = (part, value) => console.log(part, typeof value === "string" ? value : JSON.stringify(value));
const user = (content) => ({ role: "user", content });
const ask = (part, messages, more) => client.messages.create({ model: part, max_tokens: 99, messages, ...more });

async function plain() {
	const messages = [user("plain one")];
	for (const text of ["plain two", ""]) {
		const { data, request_id } = await ask("messages-plain", messages, { system: "be brief" }).withResponse();
		tell("messages-plain", data);
		tell("messages-plain", String(request_id));
		messages.push({ role: "assistant", content: data.content[0].text }, user(text));
	}
}

async function stream() {
	const { data, request_id } = await ask("messages-stream", [user("stream one")], { stream: true }).withResponse();
	tell("messages-stream", String(request_id));
	for await (const event of data)
		tell("messages-stream", event);
}

async function useTools() {
	const messages = [user("tools one")];
	for (;;) {
		const final = await client.messages.stream({ model: "messages-tools", max_tokens: 99, messages, tools }).finalMessage();
		tell("messages-tools", final);
		const calls = final.content.filter((b) => b.type === "tool_use");
		if (!calls.length)
			return;
		messages.push({ role: "assistant", content: final.content });
		messages.push(user(calls.map((c) => ({ type: "tool_result", tool_use_id: c.id, content: results[c.name] }))));
	}
}

async function together() {
	const got = await Promise.all(["one", "two", "three"].map((n) => ask("messages-async", [user(`async ${n}`)])));
	for (const text of got.map((g) => g.content[0].text).sort())
		tell("messages-async", text);
}

async function abort() {
	for await (const event of await ask("messages-abort", [user("abort one")], { stream: true }))
		if (event.type === "content_block_delta") {
			tell("messages-abort", event.delta.text);
			break;
		}
}

async function troubles() {
	tell("messages-retry", (await ask("messages-retry", [user("retry one")])).content[0].text);
	try {
		await ask("messages-error", [user("error one")]);
	} catch (e) {
		tell("messages-error", [e.status, e.error]);
	}
}

for (const part of [plain, stream, useTools, together, abort, troubles])
	await part();
