#include "cmd/topics.h"

static const char formats_text[] =
	"Input is a file, several files, a directory or standard input ('-'). In a directory the files whose "
	"names end in .json, .jsonl or .ndjson (with .gz or .zst after it or not) are read, those of directories in it "
	"too, in sorted order; 'convert' takes .eval and .sse as well. Input compressed with gzip or zstd is "
	"recognised by its first bytes, whatever its name.\n"
	"\n"
	"  agent-trace    the trace of a run: lines with schema_version agent-trace/v1\n"
	"  otutl          a tool-use log: lines with type, run_id and seq\n"
	"  trajectory     of AEC-Bench: a header, then lines with step and role\n"
	"  conversation   messages with a role: canonical, OpenAI or Anthropic\n"
	"  trial          a TrialRecord: trial_id, task, agent, evaluation and more\n"
	"  results        benchmark results: lines with record_type result\n"
	"  summary        of a benchmark run: models with their counts and rates\n"
	"  json, jsonl    any other value, or one per line\n"
	"\n"
	"'trackway convert' reads the first four and these:\n"
	"\n"
	"  anthropic         messages: requests, responses, streams\n"
	"  openai-chat       chat completions: requests, responses, streams, messages\n"
	"  openai-responses  Responses: requests, responses, streams\n"
	"  claude-code       sessions with their sub-agents, stream-json\n"
	"  codex             rollouts, exec --json\n"
	"  atif              agent trajectories of Harbor, 1.0 to 1.7\n"
	"  inspect           logs of Inspect: .json, .eval\n"
	"  otlp-json         OpenTelemetry traces: OTLP, Tempo, Jaeger\n"
	"\n"
	"It writes the first four, atif and otlp-json. A conversation has three dialects: conversation, "
	"conversation-openai and conversation-anthropic.\n"
	"\n"
	"'validate' and 'convert' know a format by what is in a file. 'canon' and 'hash' read lines from names that "
	"end in .jsonl or .ndjson, and know an OTUTL log by its records.\n"
	"\n"
	"JSON is read strictly, as RFC 8259 has it, and with the rules of I-JSON (RFC 7493): no name twice in an "
	"object, no lone surrogates, no byte order mark, UTF-8 only. Numbers keep their text until somebody asks "
	"for a value.\n"
	"\n"
	"The canonical form is that of RFC 8785. Every text that keeps these rules has one, unless a number is "
	"beyond the largest double or values are nested more than 1,024 deep (512 in logs). A line or document may "
	"have 64 MiB, or what --max-record says. Two programs that agree on the values agree on the bytes, and on "
	"their SHA-256.\n"
	"\n"
	"'convert' is less strict: what is almost JSON (NaN, a name twice, a lone surrogate) is mended, not "
	"refused.\n";

static const char exit_codes_text[] =
	"Every command uses the same codes:\n"
	"\n"
	"    0   done; the answer is yes\n"
	"    1   done, and the answer is no: invalid input, a difference, a failed check\n"
	"    2   wrong usage; nothing was run\n"
	"    3   could not do it: unreadable input, a full disk, a limit\n"
	"   70   internal fault; please report it\n"
	"  130   interrupted (SIGINT, Ctrl-C)\n"
	"  143   terminated (SIGTERM)\n"
	"\n"
	"Warnings alone leave 0; 'validate --warnings-as-errors' makes them 1.\n"
	"\n"
	"Of several files the worst decides: 3 wins over 1, and 1 over 0. 'validate' has 1 for a file that was "
	"named and is of no known format. In a directory such files are skipped; when nothing else is there, "
	"nothing was checked and it has 3.\n"
	"\n"
	"Standard output is checked when a command ends: if something could not be written, the command says so "
	"and exits with 3, whatever it had found out.\n"
	"\n"
	"When the reader of a pipe leaves early, as in 'trackway canon big.json | head -c 10', the command ends "
	"without a message. It exits with 3 then, because part of the answer was not delivered, unless the answer "
	"was already no (1).\n"
	"\n"
	"Ctrl-C once asks a command to finish what it is writing and to end; twice ends it at once.\n";

static const char environment_text[] =
	"An option on the command line wins over the environment. There is no configuration file yet.\n"
	"\n"
	"  TRACKWAY_PAGER      the pager for long help pages; empty or 'cat' for none\n"
	"  PAGER               the same, when TRACKWAY_PAGER is not set; else less -FRX\n"
	"  NO_COLOR            no colour when set and not empty\n"
	"  CLICOLOR            no colour when 0\n"
	"  CLICOLOR_FORCE      colour also without a terminal when set and not 0\n"
	"  TERM                no colour and no moving progress line when 'dumb'\n"
	"  COLUMNS, LINES      the size of the screen, over what the terminal says\n"
	"  GITHUB_ACTIONS      'validate' answers with annotations when 'true'\n"
	"  GITHUB_STEP_SUMMARY the file that 'validate' adds a table to, with annotations\n"
	"  TRACKWAY_DEBUG      1 leaves our faults to the system, for a core dump\n"
	"  TRACKWAY_HASH_SEED  a number that fixes the seed of the internal hash tables\n"
	"\n"
	"Colour is decided for standard output and standard error apart: --color always or never wins, then "
	"CLICOLOR_FORCE, NO_COLOR and CLICOLOR in this order, and then colour is used on a terminal whose TERM is "
	"not 'dumb'. Colour never carries meaning alone.\n";

static const char privacy_text[] =
	"No command of this version opens a network connection. There is no telemetry and no check for updates.\n"
	"\n"
	"A command reads the files it is given ('convert' also those of a session's sub-agents beside it) and writes "
	"standard output, or the file or directory named with -o, or a file that another option names. Large output "
	"may wait in a temporary file without a name, which ends with the command. There is no history and no cache.\n"
	"\n"
	"A message about a fault in the input shows the part of the line around the fault, made safe for the "
	"terminal: look at it before you paste it into a report. What may be a key or a password is masked in it, "
	"in every command; other content is not.\n"
	"\n"
	"A hash does not hide what it was made from. Whoever can guess a short secret can hash the guess and "
	"compare; a hash of content is as private as the least private guess about it.\n";

static const char semconv_text[] =
	"OpenTelemetry's semantic conventions for generative AI name the attributes of spans: gen_ai.request.model, "
	"gen_ai.usage.input_tokens and so on. They change between releases, so a reader has to say which release it "
	"follows.\n"
	"\n"
	"'trackway convert' reads spans by the names of release 1.41 and of earlier ones, and by those of "
	"OpenInference and OpenLLMetry; the newest name wins. It writes spans (--to otlp-json) by release 1.41.\n";

const struct topic topics[] = {
	{ "formats", "what can be read and written", formats_text },
	{ "exit-codes", "what the exit status says", exit_codes_text },
	{ "environment", "variables that are looked at", environment_text },
	{ "privacy", "what leaves this machine, and what does not", privacy_text },
	{ "semconv", "OpenTelemetry's semantic conventions", semconv_text },
	{ NULL, NULL, NULL },
};

const struct topic *topic_find(struct str name)
{
	for (const struct topic *t = topics; t->name; t++)
		if (str_eq(str_from(t->name), name))
			return t;
	return NULL;
}
