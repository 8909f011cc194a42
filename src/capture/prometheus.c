/* A line is cut from its front, piece by piece: each helper takes what it knows off a text and leaves the rest. */
#include "capture/prometheus.h"

#include <math.h>

#include "base/ascii.h"
#include "base/num.h"

#define NUMBER_MAX 400 /* bytes; the longest decimal that says more than it repeats is a bit shorter */

static bool is_name_byte(char c)
{
	return ascii_is_word(c) || c == ':';
}

static void skip_blanks(struct str *s)
{
	while (s->n && ascii_is_blank(*s->p))
		*s = str_of(s->p + 1, s->n - 1);
}

static bool skip_byte(struct str *s, char c)
{
	if (s->n == 0 || *s->p != c)
		return false;
	*s = str_of(s->p + 1, s->n - 1);
	return true;
}

/* Empty when there is none. */
static struct str prometheus_cut_name(struct str *s)
{
	struct str name = { s->p, 0 };

	while (name.n < s->n && is_name_byte(s->p[name.n]) && (name.n || !ascii_is_digit(*s->p)))
		name.n++;
	*s = str_of(s->p + name.n, s->n - name.n);
	return name;
}

static struct str cut_word(struct str *s)
{
	struct str word = { s->p, 0 };

	while (word.n < s->n && !ascii_is_blank(s->p[word.n]))
		word.n++;
	*s = str_of(s->p + word.n, s->n - word.n);
	skip_blanks(s);
	return word;
}

/* After the opening quote, up to and with the closing one. */
static bool cut_quoted(struct arena *a, struct str *s, struct str *out)
{
	size_t n = 0, escapes = 0, at = 0;
	char *text;

	while (n < s->n && s->p[n] != '"') {
		if (s->p[n] == '\\') {
			n++;
			escapes++;
		}
		n++;
	}
	if (n >= s->n)
		return false;
	*out = str_of(s->p, n);
	*s = str_of(s->p + n + 1, s->n - n - 1);
	if (!escapes)
		return true;
	text = arena_array(a, char, n);
	for (size_t i = 0; i < n; i++) {
		char c = out->p[i];

		if (c == '\\') {
			c = out->p[++i];
			if (c == 'n')
				c = '\n';
			else if (c != '\\' && c != '"')
				text[at++] = '\\'; /* not an escape: stays as it is */
		}
		text[at++] = c;
	}
	*out = str_of(text, at);
	return true;
}

/* {name="value",...}, with blanks anywhere between and a comma allowed at the end. False when it is anything else. */
static bool cut_labels(struct arena *a, struct str *s, struct prometheus_sample *out)
{
	struct prometheus_label *labels;

	if (!skip_byte(s, '{'))
		return true;
	labels = arena_array(a, struct prometheus_label, PROMETHEUS_LABELS_MAX);
	out->labels = labels;
	for (skip_blanks(s); !skip_byte(s, '}'); skip_blanks(s)) {
		struct prometheus_label *l = &labels[out->count];

		if (out->count++ == PROMETHEUS_LABELS_MAX)
			return false;
		l->name = prometheus_cut_name(s);
		skip_blanks(s);
		if (l->name.n == 0 || memchr(l->name.p, ':', l->name.n) || !skip_byte(s, '='))
			return false;
		skip_blanks(s);
		if (!skip_byte(s, '"') || !cut_quoted(a, s, &l->value))
			return false;
		skip_blanks(s);
		if (!skip_byte(s, ',') && (s->n == 0 || *s->p != '}'))
			return false;
	}
	return true;
}

static bool parse_word(struct str s, bool minus, double *out)
{
	bool nan = str_eq_nocase(s, STR("nan"));
	bool inf = str_eq_nocase(s, STR("inf")) || str_eq_nocase(s, STR("infinity"));

	if (nan)
		*out = NAN;
	if (inf)
		*out = minus ? -INFINITY : INFINITY;
	return nan || inf;
}

/* What Go's ParseFloat reads, but for hexadecimal; our reader knows JSON's numbers, which are stricter. */
static bool parse_value(struct str s, double *out)
{
	char text[NUMBER_MAX + 2];
	size_t n = 0;
	bool minus = skip_byte(&s, '-');

	if (!minus)
		skip_byte(&s, '+');
	if (s.n == 0 || s.n > NUMBER_MAX)
		return false;
	if (!ascii_is_digit(*s.p) && *s.p != '.')
		return parse_word(s, minus, out);
	if (minus)
		text[n++] = '-';
	while (s.n > 1 && *s.p == '0' && ascii_is_digit(s.p[1]))
		skip_byte(&s, '0');
	if (*s.p == '.') {
		if (s.n == 1 || !ascii_is_digit(s.p[1]))
			return false;
		text[n++] = '0';
	}
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '.' || (i + 1 < s.n && ascii_is_digit(s.p[i + 1])))
			text[n++] = s.p[i]; /* "5." is "5" */
	return num_parse_double(str_of(text, n), out) != NUM_SYNTAX;
}

enum prometheus_line prometheus_parse(struct arena *a, struct str line, struct prometheus_sample *out)
{
	struct str value, time;

	*out = (struct prometheus_sample){ .count = 0 };
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	skip_blanks(&line);
	if (line.n == 0 || *line.p == '#')
		return PROMETHEUS_NOTHING;
	out->name = prometheus_cut_name(&line);
	skip_blanks(&line);
	if (out->name.n == 0 || !cut_labels(a, &line, out))
		return PROMETHEUS_BAD;
	skip_blanks(&line);
	value = cut_word(&line);
	if (!parse_value(value, &out->value))
		return PROMETHEUS_BAD;
	if (line.n == 0 || *line.p == '#') /* OpenMetrics puts an example there */
		return PROMETHEUS_SAMPLE;
	time = cut_word(&line);
	out->has_time = true;
	if (!num_parse_i64(time, &out->time_ms) || (line.n && *line.p != '#'))
		return PROMETHEUS_BAD;
	return PROMETHEUS_SAMPLE;
}

void prometheus_init(struct prometheus *p, void (*take)(void *context, const struct prometheus_sample *s),
		     void *context)
{
	*p = (struct prometheus){ .take = take, .context = context };
	arena_init(&p->arena);
	buf_init(&p->line);
}

void prometheus_free(struct prometheus *p)
{
	arena_free(&p->arena);
	buf_free(&p->line);
}

/* A line too long counts as bad, like one that is not understood. */
static void take_line(struct prometheus *p, struct str line)
{
	struct prometheus_sample s;

	if (line.n > PROMETHEUS_LINE_MAX) {
		p->bad++;
		return;
	}
	arena_reset(&p->arena);
	switch (prometheus_parse(&p->arena, line, &s)) {
	case PROMETHEUS_SAMPLE:
		p->samples++;
		p->take(p->context, &s);
		break;
	case PROMETHEUS_BAD:
		p->bad++;
		break;
	case PROMETHEUS_NOTHING:
		break;
	}
}

/* The part of a line that a piece ends with. */
static void keep(struct prometheus *p, struct str part)
{
	if (p->skipping)
		return;
	if (p->line.n + part.n > PROMETHEUS_LINE_MAX) {
		p->skipping = true;
		p->bad++;
		buf_clear(&p->line);
		return;
	}
	buf_add_str(&p->line, part);
}

void prometheus_push(struct prometheus *p, struct str bytes)
{
	while (bytes.n) {
		const char *end = memchr(bytes.p, '\n', bytes.n);
		struct str part = str_of(bytes.p, end ? (size_t)(end - bytes.p) : bytes.n);

		if (end && !p->line.n && !p->skipping) {
			take_line(p, part);
		} else {
			keep(p, part);
			if (end && !p->skipping)
				take_line(p, buf_str(&p->line));
		}
		if (!end)
			return;
		p->skipping = false;
		buf_clear(&p->line);
		bytes = str_of(end + 1, bytes.n - part.n - 1);
	}
}

void prometheus_end(struct prometheus *p)
{
	p->bad += p->line.n != 0;
	p->skipping = false;
	buf_clear(&p->line);
}
