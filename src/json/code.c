/* The names of the codes, as pages, reports and rules spell them. */
#include <assert.h>

#include "json/json.h"

const char *json_code_name(enum json_code c)
{
	static const char *const names[JSON_CODES] = {
		[JSON_OK] = "OK",
		[JSON_E_BOM] = "E_BOM",
		[JSON_E_UTF8] = "E_UTF8",
		[JSON_E_CTRL] = "E_CTRL",
		[JSON_E_SYNTAX] = "E_SYNTAX",
		[JSON_E_TRAILING] = "E_TRAILING",
		[JSON_E_DEPTH] = "E_DEPTH",
		[JSON_E_DUP_KEY] = "E_DUP_KEY",
		[JSON_E_SURROGATE] = "E_SURROGATE",
		[JSON_E_NUM_RANGE] = "E_NUM_RANGE",
		[JSON_E_NUM_UNDERFLOW] = "E_NUM_UNDERFLOW",
		[JSON_E_NUM_UNSAFE_INT] = "E_NUM_UNSAFE_INT",
		[JSON_E_NUM_PRECISION] = "W_NUM_PRECISION",
		[JSON_E_NONCHAR] = "W_NONCHAR",
		[JSON_E_LIMIT] = "E_LIMIT",
	};

	assert((unsigned)c < JSON_CODES);
	return names[c];
}
