// node canonicalize.mjs FILE [--passes N]: JSON.parse, npm's canonicalize and one SHA-256 over the canonical
// lines without line ends, which for a log is its run hash. Version 5 needs Node.js 20; before that, 2.
import { createHash } from 'node:crypto';
import { measure } from './lines.mjs';

const name = ''.isWellFormed ? 'canonicalize' : 'canonicalize-2';
const canonicalize = (await import(name)).default;

measure(() => {
	const hash = createHash('sha256');
	return { use: (line) => hash.update(canonicalize(JSON.parse(line))), finish: () => hash.digest('hex') };
}, `${name === 'canonicalize' ? 'canonicalize 5.1.0' : 'canonicalize 2.1.0'}, node ${process.version}`);
