/*
 * A time is right when one of a few patterns fits: that of every ordinary second, or one of those for leap seconds.
 */
#include "dialect/record/schema_stamp.h"

#include "json/put.h"

/*
 * Only what every dialect of regular expressions has: no look-ahead, no back reference, no \d (which
 * takes other digits in some). What needs two places of the text at once, the leap second and its
 * offset, is said by several patterns that must hold together.
 */
#define DAY_1_TO_28 "(0[1-9]|1[0-9]|2[0-8])"
#define LEAP_YEAR "([0-9][0-9](0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
#define DATE                                                                          \
	"([0-9]{4}-((0[1-9]|1[0-2])-" DAY_1_TO_28 "|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)|" \
	LEAP_YEAR "-02-29)"
#define HOUR_MINUTE "([01][0-9]|2[0-3]):[0-5][0-9]"
#define FRACTION "(\\.[0-9]+)?"

static void add_pattern(struct json_writer *w, struct str pattern)
{
	json_write_begin_object(w);
	json_put_text(w, "pattern", pattern);
	json_write_end_object(w);
}

/* "^.{skip}(a...b|...)$" with one alternative for each pair: `first` of the time, `second` of the offset. */
struct pairs {
	unsigned skip; /* characters before the first number */
	unsigned count;
	const char *between, *after; /* the two, and what ends the text */
	unsigned width;              /* digits of each number */
	unsigned from;               /* the first number counts up from 0, the second ... */
	int step;                    /* ... up or down from here */
	unsigned modulus;
};

/* Patterns cannot add, so that every pair of numbers that belongs together is spelled out. */
static void add_pairs(struct json_writer *w, const struct pairs *p)
{
	struct buf text = { 0 };
	unsigned second = p->from;

	buf_printf(&text, "^.{%u}(", p->skip);
	for (unsigned first = 0; first < p->count; first++) {
		buf_printf(&text, "%s%0*u%s%0*u%s", first ? "|" : "", (int)p->width, first, p->between, (int)p->width,
			   second, p->after);
		second = (second + p->modulus + (unsigned)p->step) % p->modulus;
	}
	buf_printf(&text, ")$");
	add_pattern(w, buf_str(&text));
	buf_free(&text);
}

static void add_all(struct json_writer *w, struct str whole, const struct pairs *pairs, size_t count)
{
	json_write_begin_object(w);
	json_put_array(w, "allOf");
	add_pattern(w, whole);
	for (size_t i = 0; i < count; i++)
		add_pairs(w, &pairs[i]);
	json_write_end_array(w);
	json_write_end_object(w);
}

/*
 * Second 60 is right only at 23:59 UTC. West of it, hour and minute of the clock and of the offset add up
 * to 23 and 59. East of it, the clock is a minute behind the offset: 01:29:60+01:30, 01:59:60+02:00.
 */
static void add_leap(struct json_writer *w)
{
	static const struct pairs west[] = {
		{ 11, 24, ":.*-", ":[0-9][0-9]", 2, 23, -1, 24 },
		{ 14, 6, "[0-9]:60.*:", "[0-9]", 1, 5, -1, 6 },
		{ 15, 10, ":60.*:[0-9]", "", 1, 9, -1, 10 },
	};
	static const struct pairs east[] = {
		{ 11, 24, ":.*[+]", ":[0-9][0-9]", 2, 0, 1, 24 },
		{ 14, 59, ":60.*:", "", 2, 1, 1, 60 },
	};
	static const struct pairs east_whole_hour[] = { { 11, 24, ":59:60.*[+]", ":00", 2, 1, 1, 24 } };

	add_pattern(w, STR("^" DATE "[Tt]23:59:60" FRACTION "[Zz]$"));
	add_all(w, STR("^" DATE "[Tt]" HOUR_MINUTE ":60" FRACTION "-" HOUR_MINUTE "$"), west,
		COUNT(west));
	add_all(w, STR("^" DATE "[Tt]" HOUR_MINUTE ":60" FRACTION "[+]" HOUR_MINUTE "$"), east,
		COUNT(east));
	add_all(w, STR("^" DATE "[Tt]" HOUR_MINUTE ":60" FRACTION "[+]" HOUR_MINUTE "$"), east_whole_hour,
		COUNT(east_whole_hour));
}

void schema_stamp_add(struct json_writer *w)
{
	json_write_begin_object(w);
	json_put_text(w, "description",
		      STR("a time as in RFC 3339: a real date, Z or an offset; second 60 only at 23:59 UTC"));
	json_put_text(w, "format", STR("date-time"));
	json_put_array(w, "anyOf");
	/* "format" alone is a remark to most validators; and `pattern` holds for everything that is no string */
	add_pattern(w, STR("^" DATE "[Tt]" HOUR_MINUTE ":[0-5][0-9]" FRACTION "([Zz]|[+-]" HOUR_MINUTE ")$"));
	add_leap(w);
	json_write_end_array(w);
	json_write_end_object(w);
}
