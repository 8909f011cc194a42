// Gives the same single records to ajv, with the schemas we print, and to 'trackway validate'.
// usage: node check.mjs TRACKWAY DIRECTORY
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import Ajv2020 from "ajv/dist/2020.js";
import { battery, corpus, edits, mutations, strangers, tables } from "./cases.mjs";
import { BETWEEN, PARTLY, UNSAYABLE } from "./unsayable.mjs";

const [program, directory] = process.argv.slice(2);
const SHOWN = 10;
let passed = 0;
let failed = 0;
let skipped = 0;

function check(name, problems, note = "") {
	if (problems.length === 0) {
		passed++;
		console.log(`ok     ${name}${note}`);
		return;
	}
	failed++;
	console.log(`FAILED ${name}: ${problems.length}`);
	for (const p of problems.slice(0, SHOWN)) console.log(`  ${p}`);
	if (problems.length > SHOWN) console.log(`  ... and ${problems.length - SHOWN} more`);
}

function trackway(...args) {
	const run = spawnSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 30 });
	if (run.error || run.status === null || run.status > 1)
		throw new Error(`trackway ${args.slice(0, 4).join(" ")}: ${run.error ?? run.stderr}`);
	return JSON.parse(run.stdout);
}

// The codes of the errors we find in each case.
function ours(format, mode, cases) {
	fs.rmSync(directory, { recursive: true, force: true });
	fs.mkdirSync(directory, { recursive: true });
	const ending = format.form === "document" ? "json" : "jsonl";
	cases.forEach((c, i) => fs.writeFileSync(path.join(directory, `${i}.${ending}`), `${oneLine(c)}\n`));
	const report = trackway("validate", "--as", format.name, "--json=path,findings", "--all", ...mode.flags, directory);
	const codes = cases.map(() => null);
	for (const file of report.files)
		codes[parseInt(path.basename(file.path), 10)] = file.findings.filter((f) => f.severity === "error").map((f) => f.code);
	fs.rmSync(directory, { recursive: true, force: true });
	return codes;
}

// A file of lines takes one that was laid out over several only in one piece.
const oneLine = (c) => (c.text.trim().includes("\n") ? JSON.stringify(c.value) : c.text);

function compare(format, mode, validate, cases) {
	const codes = ours(format, mode, cases);
	const problems = [];
	const good = [];
	let rejected = 0;
	let beyond = 0;
	cases.forEach((c, i) => {
		if (codes[i] === null) {
			problems.push(`${c.id}: validate did not report the file`);
			return;
		}
		const takes = validate(c.value);
		const sayable = codes[i].filter((code) => !(code in UNSAYABLE));
		const firm = sayable.filter((code) => !(code in PARTLY));
		if (takes && firm.length > 0) problems.push(`${c.id}: the schema takes it, validate finds ${firm.join(" ")}`);
		// what lies between records is no reason to refuse one: a line alone in its file is a good line
		else if (!takes && codes[i].every((code) => UNSAYABLE[code] === BETWEEN))
			problems.push(`${c.id}: validate takes it, the schema says ${why(validate)}`);
		if (takes && sayable.length === 0) good.push(c);
		rejected += !takes;
		beyond += takes && codes[i].length > 0;
	});
	return { problems, good, note: `: ${cases.length} records, ${rejected} refused by both, ${beyond} by rules no schema can say` };
}

function why(validate) {
	const e = validate.errors.find((x) => x.keyword !== "anyOf") ?? validate.errors[0];
	return `${e.instancePath || "the record"} ${e.message}`;
}

function checkComment(format, mode, schema) {
	const listed = schema.$comment.match(/\b[A-Z]+_?[A-Z0-9_]*[0-9A-Z]\b/g).filter((w) => w.length > 3);
	const problems = listed.filter((code) => !(code in UNSAYABLE)).map((code) => `${code} is in no schema, and without a reason`);
	check(`${format.name}, ${mode.name}: what it cannot say is known`, problems);
	return listed;
}

const MODES = [
	{ name: "default", flags: [] },
	{ name: "strict", flags: ["--strict"] },
];

const sources = (format) => [
	["our files", [...battery(format), ...edits(format), ...tables(format)]],
	["corpus 13", corpus(format)],
	["shared files", strangers()],
];

// Without its name: formats that know no strictness have the same schema twice.
const content = (schema) => JSON.stringify({ ...schema, $id: "" });

function checkFormat(format, seen) {
	let before = null;
	for (const mode of MODES) {
		const schema = trackway("formats", "--schema", format.name, ...mode.flags);
		if (content(schema) === before) continue;
		before = content(schema);
		checkComment(format, mode, schema).forEach((code) => seen.add(code));
		// its own strictness finds misspelt keywords; formats are remarks, the patterns decide; a list may go on behind
		// what it must begin with
		const ajv = new Ajv2020({
			allErrors: true, strict: true, strictTypes: false, strictTuples: false, strictRequired: false, validateFormats: false,
		});
		const validate = ajv.compile(schema);
		let good = [];
		for (const [source, cases] of sources(format)) {
			if (cases.length === 0) {
				if (source === "our files") {
					skipped++;
					console.log(`skipped: no files of our own for ${format.name}`);
				}
				continue;
			}
			const result = compare(format, mode, validate, cases);
			check(`${format.name}, ${mode.name}, ${source}`, result.problems, result.note);
			good = good.concat(result.good);
		}
		if (good.length > 0) {
			const result = compare(format, mode, validate, mutations(good));
			check(`${format.name}, ${mode.name}, changes`, result.problems, result.note);
		}
	}
}

const seen = new Set();
for (const format of trackway("formats", "--json").formats) if (format.can.includes("schema")) checkFormat(format, seen);
console.log("\nRules that no schema can say:");
for (const code of [...seen].sort()) console.log(`  ${code.padEnd(18)} ${UNSAYABLE[code] ?? "?"}`);
console.log("Rules that a schema says in part:");
for (const code of Object.keys(PARTLY).sort()) console.log(`  ${code.padEnd(18)} ${PARTLY[code]}`);
check("every reason is of a rule that needs it", Object.keys(UNSAYABLE).filter((code) => !seen.has(code)));
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);
