#include "bench/report/html.h"

#include <inttypes.h>
#include <math.h>

#include "base/utf8.h"
#include "bench/report/summary_cells.h"

#define SPACE "\xE2\x80\xAF" /* narrow, and no line is broken at it */
#define LESS "&lt;" SPACE
#define MORE "&gt;" SPACE

/* What a reader would not see, or see elsewhere than it stands. Joiners stay: scripts and emoji need them. */
static bool is_hidden(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = {
		{ 0x00, 0x08 },     { 0x0B, 0x1F },     { 0x7F, 0x9F },     { 0xAD, 0xAD },     { 0x61C, 0x61C },
		{ 0x115F, 0x1160 }, { 0x180E, 0x180E }, { 0x200B, 0x200B }, { 0x200E, 0x200F }, { 0x2028, 0x202E },
		{ 0x2060, 0x206F }, { 0x3164, 0x3164 }, { 0xFEFF, 0xFEFF }, { 0xFFA0, 0xFFA0 }, { 0xFFF9, 0xFFFB },
		{ 0xE0000, 0xE0FFF },
	};

	for (size_t i = 0; i < COUNT(ranges); i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	return false;
}

static void add_character(struct buf *out, uint32_t c, const char *p, size_t n)
{
	switch (c) {
	case '&':
		buf_add_str(out, STR("&amp;"));
		return;
	case '<':
		buf_add_str(out, STR("&lt;"));
		return;
	case '>':
		buf_add_str(out, STR("&gt;"));
		return;
	case '"':
		buf_add_str(out, STR("&quot;"));
		return;
	case '\'':
		buf_add_str(out, STR("&#39;"));
		return;
	default:
		break;
	}
	if (is_hidden(c))
		buf_printf(out, "[U+%04" PRIX32 "]", c);
	else if ((c & 0xFFFE) == 0xFFFE) /* no characters, and no XML */
		buf_add_str(out, STR("\xEF\xBF\xBD"));
	else
		buf_add(out, p, n);
}

void html_cut(struct buf *out, struct str s, size_t limit)
{
	uint32_t c;
	size_t n;

	for (size_t at = 0; at < s.n; at += n) {
		if (limit-- == 0) {
			buf_add_str(out, STR("\xE2\x80\xA6"));
			return;
		}
		n = utf8_decode(s.p + at, s.n - at, &c);
		if (n == 0) {
			buf_add_str(out, STR("\xEF\xBF\xBD"));
			n = 1;
		} else if (c != '\r' || at + 1 >= s.n || s.p[at + 1] != '\n') {
			add_character(out, c, s.p + at, n);
		}
	}
}

void html_text(struct buf *out, struct str s)
{
	html_cut(out, s, SIZE_MAX);
}

void html_count(struct buf *out, uint64_t n)
{
	char digits[24];
	int count = 0;

	do {
		digits[count++] = (char)('0' + n % 10);
	} while ((n /= 10) != 0);
	while (count-- > 0) {
		buf_add_byte(out, digits[count]);
		if (count > 0 && count % 3 == 0)
			buf_add_str(out, STR(SPACE));
	}
}

void html_ms(struct buf *out, double ms)
{
	uint64_t seconds;

	if (!isfinite(ms) || ms < 0) {
		buf_add_str(out, STR(HTML_NONE));
	} else if (ms < 9.95) {
		buf_printf(out, "%.*f" SPACE "ms", ms == floor(ms) ? 0 : 1, ms);
	} else if (ms < 999.5) {
		buf_printf(out, "%.0f" SPACE "ms", ms);
	} else if (ms < 9995) {
		buf_printf(out, "%.2f" SPACE "s", ms / 1e3);
	} else if (ms < 59950) {
		buf_printf(out, "%.1f" SPACE "s", ms / 1e3);
	} else if (ms < 1e15) {
		seconds = (uint64_t)(ms / 1e3 + 0.5);
		if (seconds < 3600)
			buf_printf(out, "%" PRIu64 SPACE "min" SPACE "%02" PRIu64 SPACE "s", seconds / 60,
				   seconds % 60);
		else
			buf_printf(out, "%" PRIu64 SPACE "h" SPACE "%02" PRIu64 SPACE "min", seconds / 3600,
				   seconds / 60 % 60);
	} else {
		buf_add_str(out, STR(MORE "30" SPACE "000 years"));
	}
}

void html_usd(struct buf *out, double usd)
{
	if (!isfinite(usd) || usd < 0)
		buf_add_str(out, STR(HTML_NONE));
	else if (usd == 0)
		buf_add_str(out, STR("$0"));
	else if (usd < 1e-8)
		buf_add_str(out, STR(LESS "$0.00000001"));
	else if (usd < 0.01)
		buf_printf(out, "$%.*f", 1 - (int)floor(log10(usd)), usd); /* two digits that mean something */
	else if (usd < 1)
		buf_printf(out, "$%.3f", usd);
	else
		buf_printf(out, usd < 1e4 ? "$%.2f" : "$%.0f", usd);
}

void html_bytes(struct buf *out, int64_t n)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)n;
	size_t unit = 0;

	if (n < 0) {
		buf_add_str(out, STR(HTML_NONE));
		return;
	}
	for (; v >= 1023.95 && unit + 1 < COUNT(units); unit++)
		v /= 1024;
	buf_printf(out, unit ? "%.1f" SPACE "%s" : "%.0f" SPACE "%s", v, units[unit]);
}

void html_rate(struct buf *out, uint64_t k, uint64_t n)
{
	double share = n ? (double)k / (double)n : 0;

	if (n == 0) {
		buf_add_str(out, STR(HTML_NONE));
		return;
	}
	if (k == 0 || k >= n)
		buf_add_str(out, k ? STR("100") : STR("0"));
	else if (share >= 0.9995)
		buf_add_str(out, STR(MORE "99.9"));
	else if (share < 0.0005)
		buf_add_str(out, STR(LESS "0.1"));
	else
		cell_add_share(out, share);
	buf_add_str(out, STR(SPACE "%"));
}

void html_interval(struct buf *out, struct interval i)
{
	if (!isfinite(i.low) || !isfinite(i.high)) {
		buf_add_str(out, STR(HTML_NONE));
		return;
	}
	cell_add_share(out, i.low);
	buf_add_str(out, STR(HTML_NONE));
	cell_add_share(out, i.high);
	buf_add_str(out, STR(SPACE "%"));
}
