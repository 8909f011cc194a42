/* --since: a day, a moment, or how long ago. */
#include "cmd/frame/since.h"

#include <time.h>

#include "base/clock.h"
#include "base/num.h"
#include "cmd/frame/command.h"

/* Midnight of a day, by the clock of this place. */
static bool since_parse_day(struct str text, int64_t *us)
{
	struct tm day = { .tm_isdst = -1 };
	char word[16];
	const char *end;
	time_t seconds;

	if (text.n != 10)
		return false;
	memcpy(word, text.p, 10);
	word[10] = '\0';
	end = strptime(word, "%Y-%m-%d", &day);
	if (!end || *end)
		return false;
	seconds = mktime(&day);
	*us = (int64_t)seconds * 1000000;
	return seconds != (time_t)-1;
}

/* "7d": so long ago. */
static bool since_parse_ago(struct str text, int64_t *us)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	uint64_t n;

	if (text.n < 2 || text.n > 7 || !num_parse_u64(str_of(text.p, text.n - 1), &n))
		return false;
	for (size_t i = 0; i < COUNT(units); i++) {
		if (units[i].unit != text.p[text.n - 1])
			continue;
		*us = (int64_t)(clock_wall_ns() / 1000) - (int64_t)n * units[i].seconds * 1000000;
		return true;
	}
	return false;
}

bool since_parse(struct str text, int64_t *us, struct err *err)
{
	struct stamp s;
	int64_t ns;

	if (stamp_parse(text, &s) && stamp_ns(&s, &ns)) {
		*us = ns / 1000;
		return true;
	}
	return since_parse_day(text, us) || since_parse_ago(text, us) ||
	       usage_set(err, "a day such as 2026-05-06, a time such as 2026-05-06T14:00:00Z, or so long ago: 24h, 7d",
			 "--since '%.*s' is no time", STR_ARG(text));
}
