#include "dialect/otutl_rules.h"

#include "dialect/otutl.h"

#define ERROR SEV_ERROR
#define WARNING SEV_WARNING

const struct rule otutl_rules[OTUTL_CODES + 1] = {
	[OTUTL_E_BOM] = { "E_BOM", ERROR, "the text begins with a byte order mark",
		"write the file as UTF-8 without one", "RFC 8259 section 8.1" },
	[OTUTL_E_UTF8] = { "E_UTF8", ERROR, "the bytes are not well-formed UTF-8",
		"encode text as UTF-8; keep binary data as base64", "RFC 8259 section 8.1" },
	[OTUTL_E_CTRL] = { "E_CTRL", ERROR, "a control character stands in a string as it is",
		"write it as an escape", "RFC 8259 section 7" },
	[OTUTL_E_SYNTAX] = { "E_SYNTAX", ERROR, "the line is not JSON",
		"write JSON with a library, not by hand", "RFC 8259" },
	[OTUTL_E_TRAILING] = { "E_TRAILING", ERROR, "something follows the value",
		"put each value on a line of its own; --lines takes them line by line", "RFC 8259 section 2" },
	[OTUTL_E_DEPTH] = { "E_DEPTH", ERROR, "values are nested more than 512 deep",
		"flatten the value, or keep it as a string", "OTUTL profile, section 2" },
	[OTUTL_E_DUP_KEY] = { "E_DUP_KEY", ERROR, "a name occurs twice in an object",
		"keep one of the two members", "RFC 8785 section 3.1" },
	[OTUTL_E_SURROGATE] = { "E_SURROGATE", ERROR, "half of a surrogate pair stands alone",
		"repair the text where it was cut in the middle of a character", "RFC 8785 section 3.2.2.2" },
	[OTUTL_E_NUM_RANGE] = { "E_NUM_RANGE", ERROR, "the number is too large for a double",
		"write the digits as a string", "RFC 8785 section 3.2.2.3" },
	[OTUTL_E_NUM_UNDERFLOW] = { "E_NUM_UNDERFLOW", ERROR, "the number is not zero but would become zero",
		"write the digits as a string", "OTUTL profile, section 2" },
	[OTUTL_E_NUM_UNSAFE_INT] = { "E_NUM_UNSAFE_INT", ERROR, "the integer is beyond 2^53-1 and would lose digits",
		"write the digits as a string and list its place in ext.trackway/1.bigint",
		"OTUTL profile, section 2" },
	[OTUTL_W_NUM_PRECISION] = { "W_NUM_PRECISION", WARNING, "the number has more digits than a double keeps",
		"write the digits as a string if they matter", "OTUTL profile, section 2" },
	[OTUTL_W_NONCHAR] = { "W_NONCHAR", WARNING, "the text has a noncharacter",
		"check where the text came from; it is hashed as it is", "OTUTL profile, section 2" },
	[OTUTL_E_LIMIT] = { "E_LIMIT", ERROR, "the line is too long to be read",
		"keep large payloads outside the log, by digest", "OTUTL profile, section 2" },

	[OTUTL_E_NOT_OBJECT] = { "E_NOT_OBJECT", ERROR, "a record must be a JSON object",
		"remove the line", "OTUTL section 3" },
	[OTUTL_E_TORN_TAIL] = { "E_TORN_TAIL", ERROR, "the file ends inside a record",
		"the writer was cut off: remove the last line to keep what is before it", "OTUTL profile, section 2" },
	[OTUTL_W_BLANK] = { "W_BLANK", WARNING, "the line is empty",
		"remove it; it is not hashed", "OTUTL profile, section 2" },
	[OTUTL_W_NO_FINAL_LF] = { "W_NO_FINAL_LF", WARNING, "the last line has no newline",
		"end every record with a newline, so that a complete one can be told from a torn one",
		"OTUTL profile, section 2" },

	[OTUTL_E_TYPE] = { "E_TYPE", ERROR, "type must be one of the seven",
		"use run_start, model_step, tool_call, tool_result, cost, error or run_end", "OTUTL section 3" },
	[OTUTL_E_TS] = { "E_TS", ERROR, "ts must be an RFC 3339 time with at least three digits of fraction",
		"write it like 2026-05-01T12:00:00.000Z", "OTUTL section 3" },
	[OTUTL_W_TS] = { "W_TS", WARNING, "ts is written in an unusual way",
		"write it like 2026-05-01T12:00:00.000Z", "OTUTL profile, section 3" },
	[OTUTL_E_UUID7] = { "E_UUID7", ERROR, "run_id must be a UUIDv7 in lower case",
		"make one per run and repeat it in every record", "OTUTL section 3" },
	[OTUTL_E_SEQ_TYPE] = { "E_SEQ_TYPE", ERROR, "seq must be an integer from 0 to 2^53-1, written with digits only",
		"write it as a JSON number without fraction, exponent or quotes", "OTUTL section 3" },
	[OTUTL_E_CALL_ID] = { "E_CALL_ID", ERROR, "a call or result needs a call_id, a string that is not empty",
		"give every call an id and repeat it in its result", "OTUTL section 3" },
	[OTUTL_E_TOOL_URI] = { "E_TOOL_URI", ERROR, "tool must be a URI with a scheme",
		"write it like mcp://server/tool or tool://vendor/name", "OTUTL section 3" },
	[OTUTL_W_URI_CREDENTIALS] = { "W_URI_CREDENTIALS", WARNING, "the tool's URI holds a password",
		"remove it from the log and change it", "OTUTL profile, section 3" },
	[OTUTL_E_ARGS_MISSING] = { "E_ARGS_MISSING", ERROR, "a tool_call needs args",
		"write {} for a call without arguments", "OTUTL section 3" },
	[OTUTL_W_ARGS_STRING] = { "W_ARGS_STRING", WARNING, "args is a string, so its contents are opaque",
		"write the arguments as a JSON value", "OTUTL profile, section 2" },
	[OTUTL_E_CHUNKS_CONCAT] = { "E_CHUNKS_CONCAT", ERROR, "the chunks do not add up to the result",
		"record the result as the concatenation of the data of its chunks", "OTUTL section 6" },

	[OTUTL_E_RUN_ID_MIXED] = { "E_RUN_ID_MIXED", ERROR, "run_id differs from that of the run",
		"keep one run per log; end a run with run_end before the next begins", "OTUTL profile, section 3" },
	[OTUTL_W_UUID7_SKEW] = { "W_UUID7_SKEW", WARNING, "the time in run_id and the first ts are over 24 hours apart",
		"make the run_id when the run begins", "OTUTL profile, section 3" },
	[OTUTL_E_SEQ_START] = { "E_SEQ_START", ERROR, "seq must begin with 0 or 1",
		"look for records lost at the beginning", "OTUTL profile, section 2" },
	[OTUTL_E_SEQ_GAP] = { "E_SEQ_GAP", ERROR, "a seq is missing",
		"look for a lost or damaged record", "OTUTL section 3" },
	[OTUTL_E_SEQ_DUP] = { "E_SEQ_DUP", ERROR, "a seq occurs twice",
		"count on by one for every record", "OTUTL section 3" },
	[OTUTL_W_SEQ_ORDER] = { "W_SEQ_ORDER", WARNING, "the record stands after one with a higher seq",
		"write records in the order of seq; the hash does not depend on it", "OTUTL profile, section 2" },
	[OTUTL_W_TS_BACKWARDS] = { "W_TS_BACKWARDS", WARNING, "ts is earlier than that of the record before",
		"take times from one clock that does not go back", "OTUTL profile, section 3" },
	[OTUTL_E_RUN_START] = { "E_RUN_START", ERROR, "a log begins with one run_start",
		"look for lost records, or for a run not ended before the next began", "OTUTL profile, section 3" },
	[OTUTL_E_RUN_END] = { "E_RUN_END", ERROR, "run_end is not the last record of its log",
		"write run_end once, after everything else", "OTUTL profile, section 3" },
	[OTUTL_W_PARTIAL] = { "W_PARTIAL", WARNING, "the log has no run_end: its hashes are those of a prefix",
		"nothing, if the run was interrupted", "OTUTL profile, section 3" },
	[OTUTL_E_CALL_DUP] = { "E_CALL_DUP", ERROR, "the call_id was used by an earlier call",
		"give every call an id of its own", "OTUTL profile, section 3" },
	[OTUTL_E_RESULT_ORPHAN] = { "E_RESULT_ORPHAN", ERROR, "no earlier call has this call_id",
		"record the call first; a result without a call is an error record", "OTUTL profile, section 3" },
	[OTUTL_E_RESULT_DUP] = { "E_RESULT_DUP", ERROR, "the call has a result already",
		"record one final result per call, partial output in chunks", "OTUTL profile, section 3" },
	[OTUTL_E_CALL_UNRESOLVED] = { "E_CALL_UNRESOLVED", ERROR, "the call has no result when the run ends",
		"record a tool_result, or an error with its call_id", "OTUTL profile, section 3" },
	[OTUTL_W_CALL_OPEN] = { "W_CALL_OPEN", WARNING, "the call had no result when the log broke off",
		"nothing, if the run was interrupted", "OTUTL profile, section 3" },
	[OTUTL_E_PARENT_UNKNOWN] = { "E_PARENT_UNKNOWN", ERROR, "no earlier call has this parent_call_id",
		"record the outer call before the calls inside it", "OTUTL profile, section 3" },
	[OTUTL_W_PARENT_CLOSED] = { "W_PARENT_CLOSED", WARNING, "the outer call has ended already",
		"record the outer call's result after the calls inside it", "OTUTL profile, section 3" },
	[OTUTL_W_GROUP_LIMIT] = { "W_GROUP_LIMIT", WARNING, "too much between two model steps for a behavior_hash",
		"nothing: the other hashes are not affected", "OTUTL profile, section 5" },
	[OTUTL_CODES] = { NULL, SEV_INFO, NULL, NULL, NULL },
};

const struct rule *otutl_find_rule(const char *code)
{
	for (const struct rule *r = otutl_rules; r->code; r++)
		if (strcmp(r->code, code) == 0)
			return r;
	return NULL;
}

void otutl_finding_set(struct finding *f, enum otutl_code code, struct str text, uint64_t line, uint64_t offset,
		       size_t at, size_t length)
{
	f->code = otutl_rules[code].code;
	f->severity = otutl_rules[code].severity;
	finding_point(f, text, line, offset, at, length);
}
