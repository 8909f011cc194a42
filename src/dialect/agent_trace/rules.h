/*
 * The rules of agent-trace, a row each: RULE(code, severity, sentence, help, section, ...). Included once for the enum
 * in agent_trace.h and once for the table, so that a rule is added in one place. Numbers are the spec's; one that was
 * used is never given to another rule.
 */
RULE(AT001, SEV_ERROR, "the line is not well-formed UTF-8",
	"write the file as UTF-8; a trace needs no binary data", SPEC "2",
	.why = "readers disagree about bytes that are not UTF-8, so the same trace means different things",
	.example = "\"model\":\"caf\\xe9\" written in Latin-1")
RULE(AT002, SEV_ERROR, "the line is not one complete JSON object",
	"write each event on a line of its own, without a byte order mark; lines of a pretty-printed trace: "
	"jq -c . FILE; of an array of events: jq -c '.[]' FILE", SPEC "2",
	.why = "a line that cannot be parsed loses its event for every reader",
	.example = "{\"schema_version\":\"agent-trace/v1\",}")
RULE(AT003, SEV_ERROR, "a name occurs twice in an object",
	"keep one of the two members", SPEC "2",
	.why = "one reader takes the first of the two, another the last",
	.example = "{\"kind\":\"retry\",\"kind\":\"system\"}")
RULE(AT010, SEV_ERROR, "schema_version is not agent-trace/v1",
	"write \"agent-trace/v1\"; permissive mode checks other versions as if they were v1", SPEC "16",
	.in_permissive = RULE_WARNING,
	.why = "a field may mean something else in another version, so nothing more is checked",
	.example = "\"schema_version\":\"agent-trace/v2\"")
RULE(AT011, SEV_ERROR, "event_type is neither node nor summary",
	"write \"node\" or \"summary\"", SPEC "16",
	.in_permissive = RULE_WARNING,
	.why = "without it nobody knows which fields to expect",
	.example = "\"event_type\":\"start\"")
RULE(AT020, SEV_ERROR, "a required field is missing",
	"write the field; only optional ones may be left out, and none in strict mode", SPECS "6 to 12",
	.why = "sums and graphs built from the trace would silently be wrong",
	.example = "a model_call without output_tokens")
RULE(AT021, SEV_ERROR, "a field has a value of the wrong type",
	"write the type of the schema: numbers without quotes, null only where a field is optional",
	SPECS "6 to 12",
	.why = "a number in quotes is not added up by anyone",
	.example = "\"input_tokens\":\"8192\"")
RULE(AT022, SEV_ERROR, "an id is empty",
	"give every run and node an id of its own, a UUIDv7 or a ULID", SPEC "6",
	.why = "empty ids cannot be told apart, so the graph of the run is lost",
	.example = "\"node_id\":\"\"")
RULE(AT023, SEV_ERROR, "the schema has no such field (strict mode only)",
	"remove it, or leave strict mode: additive fields are allowed in the others", PAGE "Modes",
	.why = "the reference implementation refuses fields it does not know",
	.example = "\"gpu\":\"h200\" in a node, in strict mode")
RULE(AT030, SEV_ERROR, "a value is not one that the schema lists",
	"use one of the listed words, in lower case", SPEC "16",
	.in_permissive = RULE_WARNING,
	.why = "reports group by these words; another spelling is another group",
	.example = "\"framework\":\"LangGraph\"")
RULE(AT031, SEV_ERROR, "the detail object of the node's kind is missing",
	"write the object that has the name of the kind", SPEC "16",
	.why = "a model call without model_call has no tokens, no model and no time",
	.example = "\"kind\":\"tool_call\" and no tool_call object")
RULE(AT032, SEV_ERROR, "a node has the detail object of another kind",
	"keep only the object that has the name of the kind", SPEC "16",
	.why = "readers would count the node twice",
	.example = "\"kind\":\"model_call\" with a tool_call object")
RULE(AT040, SEV_ERROR, "a duration is negative",
	"take durations from a clock that does not go back", SPEC "16",
	.why = "one negative duration spoils every total it is part of",
	.example = "\"latency_seconds\":-0.2")
RULE(AT041, SEV_ERROR, "a token count is negative",
	"write 0 with source \"estimated\" when nothing was reported", SPEC "16",
	.why = "token counts are billed",
	.example = "\"output_tokens\":-1")
RULE(AT042, SEV_ERROR, "a byte count is negative",
	"leave result_size_bytes out when the size is not known", SPEC "16",
	.why = "sizes are added up",
	.example = "\"result_size_bytes\":-1")
RULE(AT043, SEV_ERROR, "a time is not RFC 3339, or has no offset",
	"write it like 2026-04-30T12:00:00.000Z", SPEC "12",
	.why = "a time without an offset is another moment on every machine",
	.example = "\"started_at\":\"2026-04-30T12:00:00\"")
RULE(AT044, SEV_ERROR, "a count of nodes is negative",
	"count the nodes of each kind from 0", SPEC "12",
	.why = "counts are compared with the nodes in the file",
	.example = "\"node_counts\":{\"retry\":-1}")
RULE(AT050, SEV_WARNING, "timestamp_end is before timestamp_start",
	"take both from the same clock", SPEC "5",
	.in_strict = RULE_ERROR,
	.why = "the node has a negative length on every timeline",
	.example = "\"timestamp_start\":1730000001.5,\"timestamp_end\":1730000001.2")
RULE(AT051, SEV_WARNING, "stall_seconds is more than wall_time_seconds",
	"a tool cannot wait longer than it ran: check how the two are measured", SPEC "10",
	.why = "the share of stalls would be above one",
	.example = "\"wall_time_seconds\":0.1,\"stall_seconds\":0.3")
RULE(AT052, SEV_WARNING, "tool_stall_pct is not between 0 and 1",
	"it is a ratio, not a percentage: write 0.45 for 45 %", SPEC "12",
	.why = "dashboards multiply it by 100",
	.example = "\"tool_stall_pct\":45")
RULE(AT053, SEV_WARNING, "tool_stall_pct is not tool_stall_total_seconds / total_seconds",
	"divide the stall total by the wall-clock time of the run", SPEC "12",
	.why = "one of the three numbers is wrong, and nobody can tell which",
	.example = "145 s of stalls in 323 s, and a tool_stall_pct of 0.9")
RULE(AT054, SEV_WARNING, "total_tokens or redaction has only one of its two members",
	"write both: input and output, prompts_redacted and tool_args_redacted", SPEC "12",
	.in_strict = RULE_ERROR,
	.why = "what is not said can be neither checked nor trusted",
	.example = "\"total_tokens\":{\"input\":524288}")
RULE(AT055, SEV_WARNING, "a tool's name is empty",
	"write the name by which the model called the tool", SPEC "10",
	.why = "a call of no tool cannot be counted with others of its kind",
	.example = "\"tool_call\":{\"name\":\"\",...}")
RULE(AT060, SEV_WARNING, "a redaction flag is false",
	"keep this file local: it says that it holds prompts or arguments", SPEC "16",
	.why = "a trace that is shared must be free of content",
	.example = "\"prompts_redacted\":false")
RULE(AT061, SEV_WARNING, "an endpoint carries credentials",
	"write the endpoint without user, password, query and fragment, and change the secret", SPEC "16",
	.why = "traces are shared, and a password in one is a password published",
	.example = "\"endpoint\":\"https://user:...@host/v1\"")
RULE(AT062, SEV_WARNING, "a string resembles an API key",
	"remove it from the trace and change the key", SPEC "16",
	.why = "traces are shared, and a key in one is a key published",
	.example = "\"request_id\":\"sk-ant-...\"")
RULE(AT063, SEV_WARNING, "a field that is not in the schema looks like prompt or output text",
	"remove it: a trace holds shapes, counts and times only", SPEC "16",
	.why = "content does not belong in a trace by default",
	.example = "\"prompt\":\"Write a poem about ...\"")
RULE(AT064, SEV_WARNING, "a value holds an absolute path or an environment dump",
	"write a bare name instead", SPEC "3",
	.why = "paths and variables tell who ran what, and where",
	.example = "\"model\":\"/srv/models/llama\"")
RULE(AT065, SEV_WARNING, "an id is neither a ULID nor a UUID",
	"make ids with UUIDv7: they sort by time and never meet", SPEC "6",
	.why = "short ids of two runs are easily the same",
	.example = "\"node_id\":\"step-1\"")
RULE(AT066, SEV_WARNING, "error_message holds a path, a key, prompt text or arguments",
	"write a fixed phrase, such as \"child exited 3\"", SPEC "12",
	.in_strict = RULE_ERROR,
	.why = "error texts are where content leaks",
	.example = "\"error_message\":\"cannot open /srv/notes/secret.txt\"")
RULE(AT067, SEV_WARNING, "a tool's name carries arguments",
	"write the bare name of the tool", SPEC "10",
	.why = "arguments are content, and every call would be a tool of its own in reports",
	.example = "\"name\":\"read_file(path=notes.txt)\"")

RULE(AT100, SEV_ERROR, "the file has no event", "check that the recorder could write", SPEC "2",
	.scope = RULE_FILE, .why = "an empty trace proves nothing", .example = "an empty file")
RULE(AT101, SEV_ERROR, "the file has more than one trace_id",
	"keep one run per file", SPEC "6", .scope = RULE_FILE,
	.why = "totals and the graph are those of one run",
	.example = "two runs appended to one file")
RULE(AT102, SEV_ERROR, "a node_id occurs twice",
	"give every node an id of its own", SPEC "6", .scope = RULE_FILE,
	.why = "a parent with that id could be either of them",
	.example = "two nodes with the node_id of the first")
RULE(AT103, SEV_WARNING, "a parent never appears in the file",
	"look for lost lines; the first node of a run has no parents", SPEC "6", .scope = RULE_FILE,
	.in_strict = RULE_ERROR,
	.why = "the graph of the run has a hole",
	.example = "\"parent_node_ids\":[\"an id that no node has\"]")
RULE(AT104, SEV_ERROR, "nodes are their own ancestors",
	"a parent is what caused a node: it cannot depend on it in turn", SPEC "6", .scope = RULE_FILE,
	.why = "there is no order in which such nodes can be replayed or drawn",
	.example = "a node whose parent names it as a parent")
RULE(AT105, SEV_ERROR, "the file has more than one summary",
	"write the summary once, at the end of the run", SPEC "5", .scope = RULE_FILE,
	.why = "nobody knows which of them is true",
	.example = "two lines with \"event_type\":\"summary\"")
RULE(AT106, SEV_ERROR, "the summary is not the last event",
	"write the summary after the last node", SPEC "5", .scope = RULE_FILE,
	.why = "the totals cannot include what came after them",
	.example = "a node after the summary")
RULE(AT107, SEV_INFO, "the trace has no summary: the run was interrupted",
	"nothing, if the run was stopped or crashed; a strict trace ends with a summary", SPEC "5",
	.scope = RULE_FILE,
	.in_strict = RULE_ERROR,
	.why = "without a summary there are no totals to check against",
	.example = "a file that ends with a node")
RULE(AT108, SEV_WARNING, "node_counts disagrees with the nodes in the file",
	"count every kind that occurs, and no other", SPEC "16", .scope = RULE_FILE,
	.why = "either lines were lost or the producer counts wrong",
	.example = "\"node_counts\":{\"model_call\":2} after three model calls")
RULE(AT109, SEV_WARNING, "total_tokens disagrees with the model calls in the file",
	"add up input_tokens and output_tokens of every model call", SPEC "16", .scope = RULE_FILE,
	.why = "this is the number that is billed",
	.example = "\"total_tokens\":{\"input\":1} after a call with 8192")
RULE(AT110, SEV_WARNING, "tool_stall_total_seconds disagrees with the tool calls in the file",
	"add up stall_seconds of every tool call", SPEC "16", .scope = RULE_FILE,
	.why = "the share of stalls is built on it",
	.example = "\"tool_stall_total_seconds\":10 after stalls of 2 s")
RULE(AT111, SEV_WARNING, "total_seconds is not completed_at - started_at",
	"take all three from one clock", SPEC "12",
	.why = "the length of the run has two answers",
	.example = "five minutes between the times, and \"total_seconds\":30")
RULE(AT112, SEV_WARNING, "completed_at is before the end of the last node",
	"write completed_at when the run is over, with milliseconds", SPEC "12", .scope = RULE_FILE,
	.why = "a node seems to outlive its run",
	.example = "completed_at rounded down to a whole second")
RULE(AT113, SEV_WARNING, "the line is blank", "write one event per line and nothing between", SPEC "2",
	.scope = RULE_FILE, .why = "some readers stop at an empty line", .example = "an empty line")
RULE(AT114, SEV_WARNING, "events are not in the order of completion",
	"write each node when it completes", SPEC "5", .scope = RULE_FILE,
	.why = "a reader that follows the file sees the run out of order",
	.example = "a node whose timestamp_end is before that of the line above")
RULE(AT115, SEV_ERROR, "the last line breaks off",
	"the producer was cut off: everything before the line counts; remove it to go on", SPEC "2",
	.scope = RULE_FILE, .why = "half an event cannot be read",
	.example = "{\"schema_version\":\"agent-tr")
RULE(AT116, SEV_WARNING, "a sibling is not in the file",
	"name only nodes of this run as siblings", SPEC "11", .scope = RULE_FILE,
	.why = "the branch cannot be drawn",
	.example = "\"siblings\":[\"an id that no node has\"]")
RULE(AT117, SEV_WARNING, "there are more nodes than can be followed",
	"split the run; ids, parents and cycles were checked up to this line", PAGE "Files of any size",
	.scope = RULE_FILE,
	.why = "what a validator did not look at, it must say",
	.example = "a file with more than 268 million nodes")
