// Where single records come from: our own files, the shared corpus, and changes made to good records.
import fs from "node:fs";
import path from "node:path";

const FOLDERS = { results: "bench", summary: "bench", "bench-config": "bench", "bench-inventory": "bench" };
const ENDINGS = {
	results: ".results.jsonl", summary: ".summary.json", "bench-config": ".config.json", "bench-inventory": ".inventory.json",
};
const SEEDS = 24; // good records of a format that are changed
const CASES = 9000; // changes of them

function parse(text) {
	try {
		return { value: JSON.parse(text) };
	} catch {
		return null; // not one record
	}
}

// Every line of our own files that is JSON, and every file that is one value.
export function battery(format) {
	const folder = path.join("tests/data", FOLDERS[format.name] ?? format.name);
	const cases = [];
	for (const name of fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []) {
		if (!/\.jsonl?$/.test(name) || !name.endsWith(ENDINGS[format.name] ?? "")) continue;
		const text = fs.readFileSync(path.join(folder, name), "utf8");
		if (text.includes("\ufffd")) continue; // was not UTF-8
		const whole = name.endsWith(".json");
		const pieces = whole ? [text] : text.split("\n");
		pieces.forEach((piece, i) => {
			const record = parse(piece);
			if (record) cases.push({ id: whole ? name : `${name}:${i + 1}`, text: piece, ...record });
		});
	}
	return cases;
}

// Rows "code place find replace": edits of full.json, one fault each.
export function edits(format) {
	const folder = path.join("tests/data", format.name);
	const table = path.join(folder, "edits.tsv");
	if (!fs.existsSync(table)) return [];
	const full = fs.readFileSync(path.join(folder, "full.json"), "utf8").trim();
	return rows(table).map(([code, , find, replace = ""], i) => {
		const text = full.replace(find, () => replace);
		return { id: `edits.tsv, ${i} (${code})`, text, ...parse(text) };
	}).filter((c) => "value" in c);
}

const rows = (table) =>
	fs.readFileSync(table, "utf8").split("\n").filter((l) => l && !l.startsWith("#")).map((l) => l.split("\t"));

// Columns that are a JSON object or several: "a code, lines parted by tabs".
export function tables(format) {
	const folder = path.join("tests/data", format.name);
	const cases = [];
	for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
		if (!name.endsWith(".tsv") || name === "edits.tsv") continue;
		rows(path.join(folder, name)).forEach((columns, i) => {
			for (const text of columns) {
				const record = /^[[{]/.test(text) ? parse(text) : null;
				if (record) cases.push({ id: `${name}, ${i}`, text, ...record });
			}
		});
	}
	return cases;
}

const SHARED = ["../shared/data/aec", "../shared/data/ledger/otutl", "../shared/data/openclaw"];

function* files(folder) {
	for (const entry of fs.existsSync(folder) ? fs.readdirSync(folder, { withFileTypes: true }) : []) {
		const name = path.join(folder, entry.name);
		if (entry.isDirectory()) yield* files(name);
		else if (/\.jsonl?$/.test(name)) yield name;
	}
}

// Records of every kind, given to each format: also what is not of it is judged the same way.
export function strangers() {
	const cases = [];
	for (const name of SHARED.flatMap((folder) => [...files(folder)])) {
		const text = fs.readFileSync(name, "utf8");
		if (text.includes("\ufffd")) continue; // was not UTF-8
		(name.endsWith(".json") ? [text] : text.split("\n").slice(0, 60)).forEach((piece, i) => {
			const record = piece.length < 1 << 16 ? parse(piece) : null;
			if (record) cases.push({ id: `${name}:${i + 1}`, text: piece, ...record });
		});
	}
	return cases;
}

export function corpus(format) {
	const file = "../shared/data/corpora/13-agent-trace-v1/dev/events.jsonl";
	if (format.name !== "agent-trace" || !fs.existsSync(file)) return [];
	const rows = fs.readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
	return rows.map((row) => ({ id: row.id, text: JSON.stringify(row.event), value: row.event }));
}

const VALUES = [
	null, 0, 1, 7, -1, 1.5, -0.5, 1e300, true, false, "", " ", "\t\n", "\u00a0\u3000", "\u200b", "x", "no such word",
	[], {}, [null], [""], [1], ["x"], [{}], { x: 1 }, { x: "y" }, { "": null }, { x: [] },
];
const TIMES = [
	"2026-05-01T12:00:00Z", "2026-05-01t12:00:00.123z", "2024-02-29T00:00:00.000+05:30", "2023-02-29T00:00:00.000Z",
	"2016-12-31T23:59:60.000Z", "2017-01-01T01:29:60.000+01:30", "2016-12-31T22:59:60.000Z",
	"2016-12-31T00:59:60.000-23:00", "2026-05-01T12:00:00.000", "2026-05-01 12:00:00.000Z", "2026-04-31T12:00:00.000Z",
	"2026-05-01T24:00:00.000Z", "2026-05-01T12:00:00.000-00:00", "2026-05-01T12:00:00.00Z", "2026-05-01",
];
const URIS = [
	"tool://a/b", "mcp:x", "shell://local/ls?x=1#y", "a b", "http://[::1]:80/x", "http://[::1/x", "http://h:p/", "x",
	"x:", "x:/", "x://", "x:///y", "x://u:p@h", "x://u@h@i", "x:%zz", "x:%41", "1x:y", "x:a?b?c#d", "x:a#b#c", "x:é",
];

// Every object and array inside a value, with the names of what is in it.
function* places(value, at = []) {
	if (value === null || typeof value !== "object") return;
	for (const key of Array.isArray(value) ? [0].filter((i) => i in value) : Object.keys(value)) {
		yield [...at, key];
		yield* places(value[key], [...at, key]);
	}
}

function* objects(value, at = []) {
	if (value === null || typeof value !== "object") return;
	if (!Array.isArray(value)) yield at;
	for (const key of Object.keys(value)) yield* objects(value[key], [...at, key]);
}

function changed(value, at, change) {
	const copy = structuredClone(value);
	let inside = copy;
	for (const key of at.slice(0, -1)) inside = inside[key];
	change(inside, at.at(-1));
	return copy;
}

function* changes(seed) {
	for (const at of places(seed.value)) {
		const name = `${seed.id} ${at.join("/")}`;
		yield { id: `${name} dropped`, value: changed(seed.value, at, (o, k) => (Array.isArray(o) ? o.splice(k, 1) : delete o[k])) };
		const here = at.reduce((o, k) => o[k], seed.value);
		const more = typeof here !== "string" ? [] : /^\d{4}-\d\d-\d\d/.test(here) ? TIMES : here.includes(":") ? URIS : [];
		for (const put of [...VALUES, ...more])
			yield { id: `${name} = ${JSON.stringify(put)}`, value: changed(seed.value, at, (o, k) => (o[k] = put)) };
	}
	for (const at of objects(seed.value)) {
		const wrapped = changed({ r: seed.value }, ["r", ...at, "no_such_field"], (o, k) => (o[k] = 1));
		yield { id: `${seed.id} ${at.join("/")} with a field more`, value: wrapped.r };
	}
}

const kind = (v) =>
	JSON.stringify([v.type, v.event_type, v.kind, v.role, v.event, v.format, Object.keys(v).sort()]);

// One good record of each kind, each field of it changed in every way; evenly thinned when that is too much.
export function mutations(good) {
	const seeds = new Map();
	for (const c of good) if (!seeds.has(kind(c.value)) && seeds.size < SEEDS) seeds.set(kind(c.value), c);
	const all = [...seeds.values()].flatMap((seed) => [...changes(seed)]);
	const step = Math.max(1, all.length / CASES);
	const kept = [];
	for (let i = 0; i < all.length; i += step) kept.push(all[Math.floor(i)]);
	return kept.map((c) => ({ ...c, text: JSON.stringify(c.value) }));
}
