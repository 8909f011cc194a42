#include "dialect/reading/torn.h"

#include <stddef.h>

/* A closing bracket too many is no torn line but a broken one. */
bool torn_is(struct str text)
{
	bool within = false;
	size_t depth = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (within && c == '\\')
			i++;
		else if (c == '"')
			within = !within;
		else if (!within && (c == '{' || c == '['))
			depth++;
		else if (!within && (c == '}' || c == ']') && depth-- == 0)
			return false;
	}
	return within || depth > 0;
}
