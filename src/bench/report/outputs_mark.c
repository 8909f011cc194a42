/* Writes and reads the last line of a page, which says what made it. */
#include "bench/report/outputs_mark.h"

#include "base/build.h"

#define BEGIN "<!-- trackway "
#define METHOD " made this from results.jsonl, intervals: "
#define END " -->\n"

void outputs_mark_add(struct buf *page, enum rate_method method)
{
	buf_printf(page, BEGIN "%s" METHOD "%s" END, BUILD_VERSION, rate_method_name(method));
}

bool outputs_mark_read(struct str page, struct str *version, enum rate_method *method)
{
	size_t from = page.n ? page.n - 1 : 0, at;
	struct str line, name;

	while (from > 0 && page.p[from - 1] != '\n')
		from--;
	line = str_skip(page, from);
	at = str_find(line, STR(METHOD));
	if (!str_starts(line, STR(BEGIN)) || !str_ends(line, STR(END)) || at == (size_t)-1)
		return false;
	*version = str_of(line.p + sizeof(BEGIN) - 1, at - (sizeof(BEGIN) - 1));
	name = str_of(line.p + at + sizeof(METHOD) - 1, line.n - at - (sizeof(METHOD) - 1) - (sizeof(END) - 1));
	for (int m = RATE_WILSON; m <= RATE_JEFFREYS; m++) {
		*method = (enum rate_method)m;
		if (str_eq(name, str_from(rate_method_name(*method))))
			return true;
	}
	return false;
}
