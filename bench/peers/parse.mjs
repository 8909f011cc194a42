// node parse.mjs FILE [--passes N]: JSON.parse of one line after the other.
import { measure } from './lines.mjs';

measure(() => ({ use: JSON.parse, finish: () => '-' }), `node ${process.version}`);
