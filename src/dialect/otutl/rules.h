/* The numbers of the rules: the order of otutl_rules. */
#ifndef DIALECT_OTUTL_RULES_H
#define DIALECT_OTUTL_RULES_H

#include "base/finding.h"
#include "json/json.h"

enum otutl_code {
	/* JSON, in the order of enum json_code */
	OTUTL_E_BOM,
	OTUTL_E_UTF8,
	OTUTL_E_CTRL,
	OTUTL_E_SYNTAX,
	OTUTL_E_TRAILING,
	OTUTL_E_DEPTH,
	OTUTL_E_DUP_KEY,
	OTUTL_E_SURROGATE,
	OTUTL_E_NUM_RANGE,
	OTUTL_E_NUM_UNDERFLOW,
	OTUTL_E_NUM_UNSAFE_INT,
	OTUTL_W_NUM_PRECISION,
	OTUTL_W_NONCHAR,
	OTUTL_E_LIMIT,
	/* lines */
	OTUTL_E_NOT_OBJECT,
	OTUTL_E_TORN_TAIL,
	OTUTL_W_BLANK,
	OTUTL_W_NO_FINAL_LF,
	/* fields */
	OTUTL_E_TYPE,
	OTUTL_E_TS,
	OTUTL_W_TS,
	OTUTL_E_UUID7,
	OTUTL_E_SEQ_TYPE,
	OTUTL_E_FIELD,
	OTUTL_E_CALL_ID,
	OTUTL_E_TOOL_URI,
	OTUTL_W_URI_CREDENTIALS,
	OTUTL_E_ARGS_MISSING,
	OTUTL_W_ARGS_STRING,
	OTUTL_E_CHUNKS_CONCAT,
	/* the log */
	OTUTL_E_RUN_ID_MIXED,
	OTUTL_W_RUN_ID_TWICE,
	OTUTL_W_UUID7_SKEW,
	OTUTL_E_SEQ_START,
	OTUTL_E_SEQ_GAP,
	OTUTL_E_SEQ_DUP,
	OTUTL_W_SEQ_ORDER,
	OTUTL_W_TS_BACKWARDS,
	OTUTL_E_RUN_START,
	OTUTL_E_RUN_END,
	OTUTL_W_PARTIAL,
	OTUTL_E_CALL_DUP,
	OTUTL_E_RESULT_ORPHAN,
	OTUTL_E_RESULT_DUP,
	OTUTL_E_CALL_UNRESOLVED,
	OTUTL_W_CALL_OPEN,
	OTUTL_E_PARENT_UNKNOWN,
	OTUTL_W_PARENT_CLOSED,
	OTUTL_W_GROUP_LIMIT,
	OTUTL_I_COMPACTED,
	OTUTL_CODES,
};

/* The rule of a fault that the JSON parser found: the two lists begin alike. */
static inline enum otutl_code otutl_code_of_json(enum json_code c)
{
	return (enum otutl_code)(c - JSON_E_BOM + OTUTL_E_BOM);
}

/*
 * Fills in the code, the severity and, from the line's text, the column, the excerpt and the mark.
 * `at` and `length` are the piece of the line that is meant; `offset` is that of the line in the input.
 */
void otutl_finding_set(struct finding *f, enum otutl_code code, struct str text, uint64_t line, uint64_t offset,
		       size_t at, size_t length);

#endif
