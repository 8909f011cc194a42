// OpenAI's SDK for Node; see openai_sdk.py.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.CLIENT_PACKAGES}/`);
const { default: OpenAI } = await import(pathToFileURL(require.resolve("openai")));

const client = new OpenAI({ apiKey: "sk-none", maxRetries: 1 });
const parameters = { type: "object", properties: { x: { type: "string" } } };
const names = ["read_file", "get_forecast"];
const tools = names.map((name) => ({ type: "function", function: { name, parameters } }));
const flat = names.map((name) => ({ type: "function", name, parameters, strict: false }));
const results = { read_file: "FIRST RESULT", get_forecast: "SECOND RESULT" };

const tell = (part, value) => console.log(part, typeof value === "string" ? value : JSON.stringify(value));
const user = (content) => ({ role: "user", content });

async function plain() {
	const messages = [{ role: "system", content: "be brief" }, user("plain one")];
	for (const text of ["plain two", ""]) {
		const { data, request_id } = await client.chat.completions.create({ model: "chat-plain", messages }).withResponse();
		tell("chat-plain", data);
		tell("chat-plain", String(request_id));
		messages.push(data.choices[0].message, user(text));
	}
}

async function stream() {
	const asked = { model: "chat-stream", messages: [user("stream one")], stream: true, stream_options: { include_usage: true } };
	const { data, request_id } = await client.chat.completions.create(asked).withResponse();
	tell("chat-stream", String(request_id));
	for await (const piece of data)
		tell("chat-stream", piece);
}

async function useTools() {
	const messages = [user("tools one")];
	for (;;) {
		const asked = { model: "chat-tools", messages, tools, stream_options: { include_usage: true } };
		const final = await client.chat.completions.stream(asked).finalChatCompletion();
		tell("chat-tools", final);
		const { content, tool_calls } = final.choices[0].message;
		if (!tool_calls?.length)
			return;
		const calls = tool_calls.map((c) => ({ id: c.id, type: "function",
			function: { name: c.function.name, arguments: c.function.arguments } }));
		messages.push({ role: "assistant", content, tool_calls: calls });
		for (const c of calls)
			messages.push({ role: "tool", tool_call_id: c.id, content: results[c.function.name] });
	}
}

async function together() {
	const asked = ["one", "two", "three"].map((n) =>
		client.chat.completions.create({ model: "chat-async", messages: [user(`async ${n}`)] }));
	const got = await Promise.all(asked);
	for (const text of got.map((g) => g.choices[0].message.content).sort())
		tell("chat-async", text);
}

async function abort() {
	const got = await client.chat.completions.create({ model: "chat-abort", messages: [user("abort one")], stream: true });
	for await (const piece of got)
		if (piece.choices[0].delta.content) {
			tell("chat-abort", piece.choices[0].delta.content);
			break;
		}
}

async function troubles() {
	const got = await client.chat.completions.create({ model: "chat-retry", messages: [user("retry one")] });
	tell("chat-retry", got.choices[0].message.content);
	try {
		await client.chat.completions.create({ model: "chat-error", messages: [user("error one")] });
	} catch (e) {
		tell("chat-error", [e.status, e.error]);
	}
}

async function responses() {
	tell("responses-plain", await client.responses.create(
		{ model: "responses-plain", instructions: "be brief", input: "responses plain" }));
	for await (const event of await client.responses.create({ model: "responses-stream", input: "responses stream", stream: true }))
		tell("responses-stream", event);
	const input = [user("responses tools")];
	for (;;) {
		const got = await client.responses.create({ model: "responses-tools", input, tools: flat });
		tell("responses-tools", got);
		const calls = got.output.filter((i) => i.type === "function_call");
		if (!calls.length)
			return;
		input.push(...got.output);
		input.push(...calls.map((c) => ({ type: "function_call_output", call_id: c.call_id, output: results[c.name] })));
	}
}

async function embeddings() {
	tell("embed-small", await client.embeddings.create(
		{ model: "embed-small", input: ["first text", "second text"], encoding_format: "float" }));
}

for (const part of [plain, stream, useTools, together, abort, troubles, responses, embeddings])
	await part();
