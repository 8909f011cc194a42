#include "json/repair.h"

#include "base/utf8.h"

size_t repair_utf8(char *out, struct str s)
{
	static const char replacement[3] = { '\xef', '\xbf', '\xbd' };
	char *to = out;

	for (size_t i = 0; i < s.n;) {
		size_t good = utf8_check(str_of(s.p + i, s.n - i));

		memcpy(to, s.p + i, good);
		to += good;
		i += good;
		if (i == s.n)
			break;
		memcpy(to, replacement, sizeof(replacement));
		to += sizeof(replacement);
		i++;
	}
	return (size_t)(to - out);
}
