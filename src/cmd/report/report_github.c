/*
 * Annotations and rows of the table are made as findings come, and kept by severity, so that the end has only to join
 * them. Text passes term_add_text first, then the escapes of its place.
 */
#include "cmd/report/report_github.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

void report_github_init(struct report_github *g)
{
	*g = (struct report_github){ .command = "validate" };
	for (size_t i = 0; i <= SEV_ERROR; i++) {
		buf_init(&g->lines[i]);
		buf_init(&g->rows[i]);
	}
}

void report_github_free(struct report_github *g)
{
	for (size_t i = 0; i <= SEV_ERROR; i++) {
		buf_free(&g->lines[i]);
		buf_free(&g->rows[i]);
	}
}

void report_github_escape(struct buf *out, struct str text, bool is_property)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ',')))
			buf_printf(out, "%%%02X", (unsigned)c);
		else
			buf_add_byte(out, text.p[i]);
	}
}

/* Logs are shown by something like a terminal, so text is made safe for one first. */
static void add_safe(struct buf *out, struct str text, bool is_property)
{
	struct buf safe;

	buf_init(&safe);
	term_add_text(&safe, text);
	report_github_escape(out, buf_str(&safe), is_property);
	buf_free(&safe);
}

void report_github_add_markdown(struct buf *out, struct str text)
{
	static const char active[] = "\\`*_{}[]<>()#+!|~&:@$.";
	struct buf safe;

	buf_init(&safe);
	term_add_text(&safe, text);
	for (size_t i = 0; i < safe.n; i++) {
		if (safe.p[i] && strchr(active, safe.p[i]))
			buf_add_byte(out, '\\');
		buf_add_byte(out, safe.p[i]);
	}
	buf_free(&safe);
}

/* Columns count only with a line; an empty mark gets no endColumn. */
static void add_annotation(struct report_github *g, struct str path, const struct finding *f, const char *help)
{
	static const char *const kinds[] = { [SEV_INFO] = "notice", [SEV_WARNING] = "warning", [SEV_ERROR] = "error" };
	struct buf *out = &g->lines[f->severity];

	buf_printf(out, "::%s file=", kinds[f->severity]);
	add_safe(out, path, true);
	if (f->at.line)
		buf_printf(out, ",line=%llu", (unsigned long long)f->at.line);
	if (f->at.line && f->at.column)
		buf_printf(out, ",col=%llu", (unsigned long long)f->at.column);
	if (f->at.line && f->at.column && report_end_column(f) > f->at.column)
		buf_printf(out, ",endColumn=%llu", (unsigned long long)report_end_column(f));
	buf_printf(out, ",title=%s::", f->code);
	add_safe(out, f->message, false);
	if (help) {
		buf_add_str(out, STR("%0Ahelp: "));
		add_safe(out, str_from(help), false);
	}
	buf_add_byte(out, '\n');
}

/* A row of the table. Rows beyond what the page takes are not even made. */
static void report_github_add_row(struct report_github *g, struct str path, const struct finding *f)
{
	struct buf *out = &g->rows[f->severity];

	if (out->n >= REPORT_GITHUB_SUMMARY)
		return; /* more would never be shown */
	buf_printf(out, "| %s | %s | ", severity_name(f->severity), f->code);
	report_github_add_markdown(out, path);
	if (f->at.line)
		buf_printf(out, " line %llu", (unsigned long long)f->at.line);
	buf_add_str(out, STR(" | "));
	report_github_add_markdown(out, f->message);
	buf_add_str(out, STR(" |\n"));
}

/* Adds one finding, or counts it when its kind has enough. */
static void add(struct report_github *g, struct str path, const struct finding *f, const char *help)
{
	path = report_relative(path, g->root);
	if (g->shown[f->severity] >= REPORT_GITHUB_LIMIT) {
		g->left[f->severity]++;
		return;
	}
	g->shown[f->severity]++;
	add_annotation(g, path, f, help);
	report_github_add_row(g, path, f);
}

static enum severity told_as(const struct report_github *g, enum severity s)
{
	return g->promote && s == SEV_WARNING ? SEV_ERROR : s;
}

void report_github_add_list(struct report_github *g, const struct report *r, struct str path,
			    const struct findings *list)
{
	uint64_t counted[] = { [SEV_INFO] = list->infos, [SEV_WARNING] = list->warnings, [SEV_ERROR] = list->errors };

	for (size_t i = 0; i < list->kept_count; i++) {
		struct finding f = list->kept[i];

		counted[f.severity]--;
		f.severity = told_as(g, f.severity);
		add(g, path, &f, report_find_help(r, f.code));
	}
	for (size_t i = 0; i <= SEV_ERROR; i++)
		g->left[i] += counted[i];
}

void report_github_add_error(struct report_github *g, struct str path, struct str why)
{
	struct finding f = { .code = "unreadable", .severity = SEV_ERROR, .message = why };

	add(g, path, &f, NULL);
}

static uint64_t count_left(const struct report_github *g)
{
	return g->left[SEV_INFO] + g->left[SEV_WARNING] + g->left[SEV_ERROR];
}

void report_github_end(const struct report_github *g, struct buf *out)
{
	for (int i = SEV_ERROR; i >= SEV_INFO; i--)
		buf_add_str(out, buf_str(&g->lines[i]));
	if (count_left(g))
		buf_printf(out, "::notice title=trackway::%llu more findings are not listed: "
				"at most %d of a kind and of a file, or what --limit says\n",
			   (unsigned long long)count_left(g), REPORT_GITHUB_LIMIT);
}

/* As many whole rows as fit; gives how many did not. */
static uint64_t add_rows(struct buf *out, struct str rows, size_t room)
{
	uint64_t left = 0;

	while (rows.n) {
		size_t n = (size_t)((const char *)memchr(rows.p, '\n', rows.n) - rows.p) + 1;

		if (left == 0 && out->n + n <= room)
			buf_add(out, rows.p, n);
		else
			left++;
		rows = str_skip(rows, n);
	}
	return left;
}

void report_github_add_summary(const struct report_github *g, struct str sentence, size_t room, struct buf *out)
{
	static const size_t reserve = 100; /* for the line that counts the rest */
	uint64_t left = count_left(g);
	size_t start = out->n;

	buf_printf(out, "### trackway %s\n\n", g->command);
	report_github_add_markdown(out, sentence);
	buf_add_str(out, STR("\n\n"));
	if (g->rows[SEV_ERROR].n + g->rows[SEV_WARNING].n + g->rows[SEV_INFO].n) {
		buf_add_str(out, STR("| severity | rule | place | finding |\n|---|---|---|---|\n"));
		for (int i = SEV_ERROR; i >= SEV_INFO; i--)
			left += add_rows(out, buf_str(&g->rows[i]), start + (room > reserve ? room - reserve : 0));
		if (left)
			buf_printf(out, "\n%llu more findings are not listed.\n", (unsigned long long)left);
		buf_add_byte(out, '\n');
	}
	if (out->n - start > room)
		out->n = start; /* not even the heading fits */
}

bool report_github_append_summary(const struct report_github *g, struct str path, struct str sentence, struct str more,
				  struct err *err)
{
	int fd = open(path.p, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	struct stat st;
	struct buf text;
	size_t room = 0;
	bool done;

	if (fd < 0)
		return err_system(err, errno, "%s: cannot open", path.p);
	buf_init(&text);
	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size < REPORT_GITHUB_SUMMARY)
		room = REPORT_GITHUB_SUMMARY - (size_t)st.st_size;
	if (more.n < room) {
		buf_add_str(&text, more);
		room -= more.n;
	}
	report_github_add_summary(g, sentence, room, &text);
	done = file_write_all(fd, buf_str(&text), err) || err_context(err, path.p);
	buf_free(&text);
	close(fd);
	return done;
}
