// node ajv.mjs FILE SCHEMA all|only: every line against a compiled JSON Schema (draft 2020-12).
//   all   JSON.parse and the check
//   only  the check alone: values are parsed in batches before the clock goes on
// The schema says less than our rules: nothing between lines, nothing about what a string holds.
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import { measure } from './lines.mjs';

const BATCH = 4096;
const [file, schema, mode] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL('node_modules/ajv/package.json', import.meta.url)));
// Formats are remarks in our schemas and patterns decide, so that leaving them out is to its advantage.
const check = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(schema)));

function take(value) {
	if (!check(value))
		throw new Error(`ajv refuses a line: ${JSON.stringify(check.errors[0])}`);
}

const all = () => ({ use: (line) => take(JSON.parse(line)), finish: () => '-' });

function only() {
	const took = { seconds: 0, cpu: 0 };
	let batch = [];

	function empty() {
		const cpu = process.cpuUsage();
		const wall = process.hrtime.bigint();

		for (const value of batch)
			take(value);
		took.seconds += Number(process.hrtime.bigint() - wall) / 1e9;
		const { user, system } = process.cpuUsage(cpu);
		took.cpu += (user + system) / 1e6;
		batch = [];
	}

	return {
		use: (line) => batch.push(JSON.parse(line)) < BATCH || empty(),
		finish: () => (empty(), '-'),
		took: () => took,
	};
}

measure(mode === 'only' ? only : all, `ajv ${version}, node ${process.version}`, [file]);
