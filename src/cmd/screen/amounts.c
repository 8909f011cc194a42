/*
 * Each function first decides the unit by the rounded value, so that 999.6 never shows as "1000" of the smaller unit.
 */
#include "cmd/screen/amounts.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

/* Three digits, by how large it is. */
static int places_of(double v)
{
	return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

void amounts_add_count(struct buf *out, uint64_t n, bool raw)
{
	static const char units[] = "kMGTPE";
	double v = (double)n / 1000;
	size_t unit = 0;

	if (n < 1000 || raw) {
		buf_printf(out, "%" PRIu64, n);
		return;
	}
	for (; v >= 999.5; v /= 1000)
		unit++;
	buf_printf(out, "%.*f%c", places_of(v), v, units[unit]);
}

void amounts_add_time(struct buf *out, int64_t us, bool raw)
{
	double seconds = (double)us / 1e6, ms = (double)us / 1e3;
	int64_t whole = us / 1000000 + (us % 1000000 >= 500000), minutes = us / 60000000 + (us % 60000000 >= 30000000);

	if (raw)
		buf_printf(out, "%.6f s", seconds);
	else if (us == 0)
		buf_add_str(out, STR("0 s"));
	else if (ms < 999.5)
		buf_printf(out, "%.*f ms", places_of(ms), ms);
	else if (whole < 600)
		buf_printf(out, "%.*f s", places_of(seconds), seconds);
	else if (minutes < 120)
		buf_printf(out, "%" PRId64 " min %" PRId64 " s", whole / 60, whole % 60);
	else
		buf_printf(out, "%" PRId64 " h %" PRId64 " min", minutes / 60, minutes % 60);
}

void amounts_add_share(struct buf *out, double part, double whole)
{
	double percent = whole > 0 ? part / whole * 100 : 0;

	if (percent <= 0)
		buf_add_str(out, STR("0 %"));
	else if (percent < 0.05)
		buf_add_str(out, STR("<0.1 %"));
	else if (percent >= 99.95)
		buf_printf(out, "%.0f %%", percent);
	else
		buf_printf(out, "%.1f %%", percent);
}

void amounts_add_dollars(struct buf *out, double usd, bool raw)
{
	if (raw)
		buf_printf(out, "$%.9f", usd);
	else
		buf_printf(out, "$%.*f", usd >= 1 ? 2 : usd >= 0.01 || usd == 0 ? 4 : 6, usd);
}

void amounts_add_things(struct buf *out, uint64_t n, const char *noun)
{
	size_t length = strlen(noun);

	if (n != 1 && length && noun[length - 1] == 'y')
		buf_printf(out, "%" PRIu64 " %.*sies", n, (int)length - 1, noun);
	else
		buf_printf(out, "%" PRIu64 " %s%s", n, noun,
			   n == 1 ? "" : length > 1 && noun[length - 1] == 'h' && noun[length - 2] == 'c' ? "es" : "s");
}

void amounts_add_moment(struct buf *out, int64_t us)
{
	time_t seconds = (time_t)(us / 1000000 - (us % 1000000 < 0));
	char text[64];
	struct tm tm;

	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		buf_add_str(out, str_from(text));
	else
		buf_add_str(out, STR("some time"));
}

void amounts_add_bytes(struct buf *out, uint64_t bytes)
{
	if (bytes < 1024)
		amounts_add_things(out, bytes, "byte");
	else if (bytes < 1024 * 1024)
		buf_printf(out, "%.1f KiB", (double)bytes / 1024);
	else
		buf_printf(out, "%.1f MiB", (double)bytes / (1024 * 1024));
}
