// What the programs of this directory share: the input as bytes in memory before the clock starts, lines
// decoded one by one inside it (faster than decoding all and splitting), and the line of figures that
// bench/run reads: wall seconds, CPU seconds, bytes, records, digest or "-", how it was done.
import { readFileSync } from 'node:fs';

const WARM = 16 * 2 ** 20;

function eachLine(bytes, end, use) {
	let records = 0;
	for (let at = 0; at < end; records++) {
		let stop = bytes.indexOf(10, at);
		if (stop < 0)
			stop = bytes.length;
		use(bytes.utf8Slice(at, stop));
		at = stop + 1;
	}
	return records;
}

function pass(begin, bytes, end) {
	const cpu = process.cpuUsage();
	const wall = process.hrtime.bigint();
	const { use, finish, took } = begin();
	const records = eachLine(bytes, end, use);
	const digest = finish();
	const seconds = Number(process.hrtime.bigint() - wall) / 1e9;
	const { user, system } = process.cpuUsage(cpu);

	return { seconds, cpu: (user + system) / 1e6, ...took?.(), records, digest };
}

// `begin` gives { use, finish, took }: use takes each line, finish gives the digest. took, if there is one,
// gives { seconds, cpu } of the part that counts.
export function measure(begin, method, [path, option, passes] = process.argv.slice(2)) {
	const bytes = readFileSync(path);

	pass(begin, bytes, Math.min(bytes.length, WARM));
	for (let i = option === '--passes' ? Number(passes) : 1; i > 0; i--) {
		const { seconds, cpu, records, digest } = pass(begin, bytes, bytes.length);

		console.log([seconds, cpu, bytes.length, records, digest, method].join('\t'));
	}
}
