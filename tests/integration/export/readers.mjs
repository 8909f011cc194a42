// Gives exports to the programs they are for: Mermaid's parser, and ajv with the schema that speedscope publishes.
// usage: node readers.mjs CASES    a list of {title, kind, file, nodes, edges}; prints a list of [title, what is wrong]
import fs from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv";
import { JSDOM } from "jsdom";

const dom = new JSDOM("");
globalThis.window = dom.window;
globalThis.document = dom.window.document;
const mermaid = (await import("mermaid")).default;
mermaid.initialize({ startOnLoad: false });

const require = createRequire(import.meta.url);
const schema = JSON.parse(fs.readFileSync(require.resolve("speedscope/dist/release/file-format-schema.json"), "utf8"));
delete schema.$schema; // draft 07, which is what Ajv reads by default
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

async function readMermaid(test, text) {
	await mermaid.parse(text);
	const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
	const drawn = [...db.getVertices().keys()].length;
	if (drawn !== test.nodes || db.getEdges().length !== test.edges)
		return `${drawn} nodes and ${db.getEdges().length} edges instead of ${test.nodes} and ${test.edges}`;
	return null;
}

function readSpeedscope(text) {
	return validate(JSON.parse(text)) ? null : JSON.stringify(validate.errors.slice(0, 2));
}

const problems = [];
for (const test of JSON.parse(fs.readFileSync(process.argv[2], "utf8"))) {
	const text = fs.readFileSync(test.file, "utf8");
	try {
		const wrong = test.kind === "mermaid" ? await readMermaid(test, text) : readSpeedscope(text);
		if (wrong) problems.push([test.title, wrong]);
	} catch (e) {
		problems.push([test.title, String(e).slice(0, 400)]);
	}
}
console.log(JSON.stringify(problems));
