// Small agents on OpenAI's client for Node, for any instrumentation; see parts.py.
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";

const require = createRequire(`${process.env.CLIENT_PACKAGES}/`);
export const load = (name) => import(pathToFileURL(require.resolve(name)));

const canary = process.env.CANARY;
const ms = { read_file: 60, get_forecast: 120 };
const names = Object.keys(ms);
const parameters = { type: "object", properties: { x: { type: "string" } } };
const tools = names.map((name) => ({ type: "function", function: { name, parameters } }));
const flat = names.map((name) => ({ type: "function", name, parameters, strict: false }));
const user = (text) => ({ role: "user", content: `${text} ${canary}` });
const now = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));

async function work(name, call) {
	const begun = now();
	await sleep(ms[name]);
	appendFileSync(process.env.TOOL_LOG, `{"name":"${name}","call":"${call}","begun_ns":${begun},"ended_ns":${now()}}\n`);
	return `${canary} RESULT of ${name}`;
}

// tool(name, function) and agent(name, function) run a function as the instrumentation's users do.
export async function run(OpenAI, tool, agent) {
	const client = new OpenAI({ apiKey: "sk-made-up", maxRetries: 1 });
	const chat = (model, messages, more = {}, options = {}) =>
		client.chat.completions.create({ model, messages, ...more }, options);
	const results = (calls) => Promise.all(calls.map(([name, id]) => tool(name, () => work(name, id))));

	await agent("plain", async () => {
		const messages = [user("plain one")];
		for (const text of ["plain two", ""]) {
			const got = await chat("chat-plain", messages);
			messages.push(got.choices[0].message, user(text));
		}
	});
	const asked = { stream: true, stream_options: { include_usage: true } };
	for await (const piece of await chat("chat-stream", [user("stream one")], asked))
		void piece;
	await agent("loop", async () => {
		const messages = [user("tools one")];
		for (;;) {
			const { message } = (await chat("chat-tools", messages, { tools })).choices[0];
			if (!message.tool_calls)
				return;
			const got = await results(message.tool_calls.map((c) => [c.function.name, c.id]));
			messages.push(message, ...message.tool_calls.map((c, i) => ({ role: "tool", tool_call_id: c.id, content: got[i] })));
		}
	});
	await agent("responses", async () => {
		const input = [user("responses tools")];
		for (;;) {
			const { output } = await client.responses.create({ model: "responses-tools", input, tools: flat });
			const calls = output.filter((i) => i.type === "function_call");
			if (!calls.length)
				return;
			const got = await results(calls.map((c) => [c.name, c.call_id]));
			input.push(...output, ...calls.map((c, i) => ({ type: "function_call_output", call_id: c.call_id, output: got[i] })));
		}
	});
	await chat("chat-retry", [user("retry one")]);
	for (const model of ["chat-again", "chat-again", "chat-error"])
		await chat(model, [user("again")], {}, { maxRetries: 0 }).catch(() => null);
	await client.embeddings.create({ model: "embed-small", input: [`${canary} one`, "two"], encoding_format: "float" });
	await Promise.all(Array.from({ length: 8 }, () => chat("chat-same", [user("the same")])));
}
