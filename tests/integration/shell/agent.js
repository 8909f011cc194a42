// The same as agent.py argv, with the child processes of Node, whose pipes are sockets.
const { spawn, execFileSync } = require("child_process");

async function chat(messages) {
	const body = { model: "small", messages, tools: [{ type: "function", function: { name: "run_shell_command" } }] };
	const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
		method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
	return (await answer.json()).choices[0].message;
}

function run(command) {
	return new Promise((done) => {
		const child = spawn(process.env.SHELL || "bash", ["-c", command], { detached: true });
		let out = "";
		child.stdout.on("data", (d) => (out += d));
		child.on("close", () => done(out));
	});
}

(async () => {
	const messages = [{ role: "user", content: "canary-prompt" }];
	execFileSync("git", ["--version"]);
	for (;;) {
		const said = await chat(messages);
		messages.push(said);
		if (!said.tool_calls) {
			console.log(said.content);
			return;
		}
		for (const call of said.tool_calls)
			messages.push({ role: "tool", tool_call_id: call.id, content: await run(JSON.parse(call.function.arguments).command) });
	}
})();
