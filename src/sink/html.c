/*
 * Escapes character by character, and rounds figures so that none reads as more certain than it is. Units follow behind
 * a narrow space at which no line is broken.
 */
#include "sink/html.h"

#include <inttypes.h>
#include <math.h>

#include "base/ascii.h"
#include "base/utf8.h"

/* What a reader would not see, or see elsewhere than it stands. Joiners stay: scripts and emoji need them. */
static bool html_is_hidden(uint32_t c)
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

/* `p` and `n` are the bytes of `c` as they stood, which go out unchanged when nothing is wrong with them. */
static void html_add_character(struct buf *out, uint32_t c, const char *p, size_t n)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	if (c < 0x80 && ascii_is_one_of((char)c, special))
		buf_add_str(out, str_from(entities[strchr(special, (int)c) - special]));
	else if (html_is_hidden(c))
		buf_printf(out, "[U+%04" PRIX32 "]", c);
	else if ((c & 0xFFFE) == 0xFFFE) /* no characters, and no XML */
		buf_add_str(out, STR("\xEF\xBF\xBD"));
	else
		buf_add(out, p, n);
}

const char *html_text(struct arena *a, struct str s, size_t limit)
{
	struct buf out;
	uint32_t c;
	size_t n;

	buf_init(&out);
	for (size_t at = 0; at < s.n; at += n) {
		if (limit-- == 0) {
			buf_add_str(&out, STR("\xE2\x80\xA6"));
			break;
		}
		n = utf8_decode(s.p + at, s.n - at, &c);
		if (n == 0) {
			buf_add_str(&out, STR("\xEF\xBF\xBD"));
			n = 1;
		} else if (c != '\r' || at + 1 >= s.n || s.p[at + 1] != '\n') {
			html_add_character(&out, c, s.p + at, n);
		}
	}
	return arena_take(a, &out).p;
}

struct cell html_count(uint64_t n)
{
	struct cell f;
	char digits[24];
	size_t at = 0;
	int count = 0;

	do {
		digits[count++] = (char)('0' + n % 10);
	} while ((n /= 10) != 0);
	while (count-- > 0) {
		f.text[at++] = digits[count];
		if (count > 0 && count % 3 == 0) {
			memcpy(f.text + at, HTML_SPACE, sizeof(HTML_SPACE) - 1);
			at += sizeof(HTML_SPACE) - 1;
		}
	}
	f.text[at] = '\0';
	return f;
}

struct cell html_ms(double ms)
{
	uint64_t seconds;

	if (!isfinite(ms) || ms < 0)
		return cell_printf(HTML_NONE);
	if (ms < 999.5)
		return cell_printf("%.*f" HTML_SPACE "ms", ms == floor(ms) || ms >= 9.95 ? 0 : 1, ms);
	if (ms < 59950)
		return cell_printf("%.*f" HTML_SPACE "s", ms < 9995 ? 2 : 1, ms / 1e3);
	if (ms >= 1e15)
		return cell_printf(HTML_MORE "30" HTML_SPACE "000 years");
	seconds = (uint64_t)(ms / 1e3 + 0.5);
	if (seconds < 3600)
		return cell_printf("%" PRIu64 HTML_SPACE "min" HTML_SPACE "%02" PRIu64 HTML_SPACE "s", seconds / 60,
				   seconds % 60);
	return cell_printf("%" PRIu64 HTML_SPACE "h" HTML_SPACE "%02" PRIu64 HTML_SPACE "min", seconds / 3600,
			   seconds / 60 % 60);
}

struct cell html_usd(double usd)
{
	if (!isfinite(usd) || usd < 0)
		return cell_printf(HTML_NONE);
	if (usd == 0)
		return cell_printf("$0");
	if (usd < 1e-8)
		return cell_printf(HTML_LESS "$0.00000001");
	if (usd < 0.01)
		return cell_printf("$%.*f", 1 - (int)floor(log10(usd)), usd); /* two digits that mean something */
	return cell_printf(usd < 1 ? "$%.3f" : usd < 1e4 ? "$%.2f" : usd < 1e15 ? "$%.0f" : "$%.3g", usd);
}

struct cell html_bytes(int64_t n)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)n;
	size_t unit = 0;

	if (n < 0)
		return cell_printf(HTML_NONE);
	for (; v >= 1023.95 && unit + 1 < COUNT(units); unit++)
		v /= 1024;
	return cell_printf(unit ? "%.1f" HTML_SPACE "%s" : "%.0f" HTML_SPACE "%s", v, units[unit]);
}
