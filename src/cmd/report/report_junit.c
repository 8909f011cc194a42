/* Test cases are written as files come; only the head of the document, which counts them, waits for the end. */
#include "cmd/report/report_junit.h"

#include <math.h>
#include <stdio.h>

#include "base/utf8.h"

void report_junit_init(struct report_junit *j)
{
	*j = (struct report_junit){ .command = "validate" };
	buf_init(&j->cases);
}

void report_junit_free(struct report_junit *j)
{
	buf_free(&j->cases);
}

static bool is_forbidden(uint32_t code)
{
	return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xfffe || code == 0xffff;
}

/* One character, whose bytes are p[0..n). XML has no way at all to write some of them. */
static void add_char(struct buf *out, const char *p, size_t n, uint32_t code, bool in_attribute)
{
	if (code == '&')
		buf_add_str(out, STR("&amp;"));
	else if (code == '<')
		buf_add_str(out, STR("&lt;"));
	else if (code == '>')
		buf_add_str(out, STR("&gt;"));
	else if (code == '"')
		buf_add_str(out, STR("&quot;"));
	else if (code == '\r' || (in_attribute && (code == '\n' || code == '\t')) || (code >= 0x7f && code <= 0x9f))
		buf_printf(out, "&#%u;", (unsigned)code); /* a reader would change or drop it */
	else if (is_forbidden(code))
		buf_printf(out, "\\x%02x", (unsigned)code); /* not even a reference may stand for it */
	else
		buf_add(out, p, n);
}

void report_junit_add_text(struct buf *out, struct str text, bool in_attribute)
{
	for (size_t i = 0, n; i < text.n; i += n) {
		uint32_t code;

		n = utf8_decode(text.p + i, text.n - i, &code);
		if (n) {
			add_char(out, text.p + i, n, code, in_attribute);
			continue;
		}
		buf_printf(out, "\\x%02x", (unsigned)(unsigned char)text.p[i]);
		n = 1;
	}
}

static void begin_timed_case(struct report_junit *j, struct str path, double seconds)
{
	j->tests++;
	buf_printf(&j->cases, "    <testcase classname=\"trackway.%s\" name=\"", j->command);
	report_junit_add_text(&j->cases, path, true);
	if (isfinite(seconds))
		buf_printf(&j->cases, "\" time=\"%.3f", seconds);
	buf_add_str(&j->cases, STR("\">\n"));
}

static void begin_case(struct report_junit *j, struct str path)
{
	begin_timed_case(j, path, NAN);
}

static void end_case(struct report_junit *j)
{
	buf_add_str(&j->cases, STR("    </testcase>\n"));
}

/* "output_tokens must not be negative (1 error, 2 warnings)" */
static void report_junit_add_message(struct buf *out, const struct findings *list, bool failed_by_error)
{
	struct buf text;
	size_t i = 0;

	buf_init(&text);
	while (i < list->kept_count && failed_by_error && list->kept[i].severity != SEV_ERROR)
		i++;
	if (i < list->kept_count) {
		term_add_text(&text, list->kept[i].message);
		buf_add_str(&text, STR(" ("));
		report_add_counts(&text, list);
		buf_add_byte(&text, ')');
	} else {
		report_add_counts(&text, list);
	}
	report_junit_add_text(out, buf_str(&text), true);
	buf_free(&text);
}

void report_junit_add(struct report_junit *j, const struct report *r, struct str path, const char *format,
		      const struct findings *list, bool failed)
{
	const char *element = failed ? "failure" : "system-out";
	struct buf text;

	begin_case(j, path);
	buf_printf(&j->cases, "      <properties><property name=\"format\" value=\"%s\"/></properties>\n", format);
	if (list->counts_count == 0) {
		end_case(j);
		return;
	}
	buf_init(&text);
	buf_printf(&j->cases, "      <%s", element);
	if (failed) {
		j->failures++;
		buf_add_str(&j->cases, STR(" message=\""));
		report_junit_add_message(&j->cases, list, list->errors > 0);
		buf_printf(&j->cases, "\" type=\"%s\"", report_worst_code(list));
	}
	buf_add_byte(&j->cases, '>');
	report_add_list(&text, r, path, list);
	report_junit_add_text(&j->cases, buf_str(&text), false);
	buf_printf(&j->cases, "</%s>\n", element);
	end_case(j);
	buf_free(&text);
}

void report_junit_add_error(struct report_junit *j, struct str path, struct str why)
{
	j->errors++;
	begin_case(j, path);
	buf_add_str(&j->cases, STR("      <error message=\""));
	report_junit_add_text(&j->cases, why, true);
	buf_add_str(&j->cases, STR("\" type=\"unreadable\"/>\n"));
	end_case(j);
}

void report_junit_add_skipped(struct report_junit *j, struct str path, const char *looks_like, bool known)
{
	j->skipped++;
	begin_case(j, path);
	buf_printf(&j->cases, "      <skipped message=\"of %s%s%s\"/>\n",
		   known ? "a format without rules" : "no known format", looks_like ? "; it looks like " : "",
		   looks_like ? looks_like : "");
	end_case(j);
}

void report_junit_add_case(struct report_junit *j, const struct report_junit_case *c)
{
	static const char *const elements[] = { NULL, "failure", "error", "skipped" };

	j->failures += c->how == JUNIT_FAILED;
	j->errors += c->how == JUNIT_ERROR;
	j->skipped += c->how == JUNIT_SKIPPED;
	begin_timed_case(j, c->name, c->seconds);
	if (c->how != JUNIT_PASSED) {
		struct buf safe;

		buf_init(&safe);
		term_add_text(&safe, c->message);
		buf_printf(&j->cases, "      <%s message=\"", elements[c->how]);
		report_junit_add_text(&j->cases, buf_str(&safe), true);
		if (c->type && c->how != JUNIT_SKIPPED)
			buf_printf(&j->cases, "\" type=\"%s", c->type);
		buf_add_str(&j->cases, STR("\"/>\n"));
		buf_free(&safe);
	}
	end_case(j);
}

void report_junit_end(const struct report_junit *j, struct buf *out)
{
	char counts[160];
	int n = snprintf(counts, sizeof(counts), "tests=\"%llu\" failures=\"%llu\" errors=\"%llu\" skipped=\"%llu\"",
			 (unsigned long long)j->tests, (unsigned long long)j->failures, (unsigned long long)j->errors,
			 (unsigned long long)j->skipped);

	buf_add_str(out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
	buf_printf(out, "<testsuites %.*s>\n  <testsuite name=\"trackway %s\" %.*s>\n", n, counts, j->command, n,
		   counts);
	buf_add_str(out, buf_str(&j->cases));
	buf_add_str(out, STR("  </testsuite>\n</testsuites>\n"));
}
