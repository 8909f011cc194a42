/* otlp_put_key sees by the byte before it whether a comma is due, so that callers keep no state between attributes. */
#include "dialect/otlp/put.h"

#include "base/num.h"
#include "dialect/otlp/give.h"
#include "json/text.h"

void otlp_put_raw(struct buf *out, const char *text)
{
	buf_add_str(out, str_from(text));
}

void otlp_put_key(struct buf *out, struct str key)
{
	if (out->n && out->p[out->n - 1] != '[')
		buf_add_byte(out, ',');
	buf_add_str(out, STR("{\"key\":\""));
	buf_add_str(out, key);
	buf_add_str(out, STR("\",\"value\":{"));
}

static void put_end(struct buf *out)
{
	buf_add_str(out, STR("}}"));
}

static void put_integer(struct buf *out, struct str key, struct figure f, bool with_sign)
{
	if (f.state == FIGURE_ABSENT)
		return;
	otlp_put_key(out, key);
	if (f.state == FIGURE_KNOWN && with_sign)
		buf_printf(out, "\"intValue\":\"%lld\"", (long long)(int64_t)f.n);
	else if (f.state == FIGURE_KNOWN)
		buf_printf(out, "\"intValue\":\"%llu\"", (unsigned long long)f.n);
	put_end(out);
}

void otlp_put_text(struct buf *out, struct str key, struct str text)
{
	if (!text.p)
		return;
	otlp_put_key(out, key);
	buf_add_str(out, STR("\"stringValue\":"));
	text_quote(out, text);
	put_end(out);
}

void otlp_put_count(struct buf *out, struct str key, struct figure f)
{
	put_integer(out, key, f, false);
}

void otlp_put_signed(struct buf *out, struct str key, struct figure f)
{
	put_integer(out, key, f, true);
}

void otlp_put_number(struct buf *out, struct str key, struct amount a)
{
	char text[NUM_DOUBLE_MAX];

	if (a.state == FIGURE_ABSENT)
		return;
	otlp_put_key(out, key);
	if (a.state == FIGURE_KNOWN) {
		buf_add_str(out, STR("\"doubleValue\":"));
		buf_add(out, text, num_format_double(text, a.n));
	}
	put_end(out);
}

void otlp_put_truth(struct buf *out, struct str key, enum truth t)
{
	if (t == TRUTH_ABSENT)
		return;
	otlp_put_key(out, key);
	if (t != TRUTH_NULL)
		buf_add_str(out, t == TRUTH_TRUE ? STR("\"boolValue\":true") : STR("\"boolValue\":false"));
	put_end(out);
}

void otlp_put_word(struct buf *out, struct str key, struct str word)
{
	if (!word.p)
		return;
	otlp_put_key(out, key);
	buf_add_str(out, STR("\"arrayValue\":{\"values\":[{\"stringValue\":"));
	text_quote(out, word);
	buf_add_str(out, STR("}]}"));
	put_end(out);
}
