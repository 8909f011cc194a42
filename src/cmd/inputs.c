/*
 * Opens each path for a look before the one source over all of them is made, so that a missing file costs only itself.
 * Text for standard error first flushes standard output, to keep the order in which things were said.
 */
#include "cmd/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/frame/error.h"
#include "cmd/frame/stream.h"
#include "store/runs.h"

/* Whether nothing but a run can be meant: whoever writes @last does not look for a file. */
static bool is_surely_run(struct str name)
{
	return str_starts(name, STR("@")) || str_starts(name, STR("tag:"));
}

/* What could be a name: any id will do, since only a run of the list has it. */
static bool inputs_may_be_run(struct str name)
{
	return name.n && name.p[0] != '-' && !memchr(name.p, '/', name.n) && access(name.p, F_OK) != 0;
}

static bool inputs_replace_names(struct arena *a, struct args *args,
				 bool (*find)(struct arena *a, struct str name, struct str *path, struct err *err),
				 struct err *err)
{
	struct str *items = NULL;

	for (size_t i = 0; i < args->count; i++) {
		struct str name = args->items[i], path;
		struct err why = { .kind = ERR_NONE };

		if (!inputs_may_be_run(name))
			continue;
		if (!find(a, name, &path, &why)) {
			if (!is_surely_run(name) &&
			    (!runs_is_name(name) || why.kind != ERR_USAGE || why.errnum == ENOENT))
				continue;
			*err = why;
			return false;
		}
		if (!items) {
			items = arena_array(a, struct str, args->count);
			memcpy(items, args->items, args->count * sizeof(*items));
			args->items = items;
		}
		items[i] = path;
	}
	return true;
}

bool inputs_name_runs(struct arena *a, struct args *args, struct err *err)
{
	return inputs_replace_names(a, args, runs_find_trace, err);
}

bool inputs_name_directories(struct arena *a, struct args *args, struct err *err)
{
	return inputs_replace_names(a, args, runs_find, err);
}

struct source *inputs_open(struct arena *a, const struct str *paths, size_t count, struct source_options how,
			   void (*missing)(void *context, struct str path, const struct err *why), void *context)
{
	struct str *there = arena_array(a, struct str, count + 1);
	struct err err = { .kind = ERR_NONE };
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct source *s = source_open(a, &paths[i], 1, how, &err);

		if (s) {
			there[kept++] = paths[i];
			source_close(s);
		} else {
			missing(context, paths[i], &err);
		}
	}
	return kept ? source_open(a, there, kept, how, &err) : NULL;
}

/* Opens it and closes it again; the source that reads it is opened later. */
static bool can_open(struct arena *a, const struct str *path, struct source_options how, struct err *why)
{
	struct source *s = source_open(a, path, 1, how, why);

	if (s)
		source_close(s);
	return s != NULL;
}

struct source *inputs_open_next(struct arena *a, const struct str *paths, size_t count, size_t *at,
				struct source_options how, struct err *why)
{
	size_t first = *at;
	struct err ignored; /* told when its turn comes */

	if (!can_open(a, &paths[(*at)++], how, why))
		return NULL;
	while (*at < count && can_open(a, &paths[*at], how, &ignored))
		++*at;
	return source_open(a, paths + first, *at - first, how, why);
}

bool inputs_check_limit(size_t max_record, struct err *err)
{
	return max_record <= SOURCE_RECORD_MAX ||
	       usage_set(err, "give a smaller size", "--max-record can be at most 2 GiB");
}

#define SECOND UINT64_C(1000000000)

/* "  25 MiB/s  ETA 00:02", of what was read since the beginning. */
static void add_pace(struct buf *text, const struct source *from, uint64_t spent_ns)
{
	uint64_t done = source_bytes_read(from), all = source_bytes_total(from);
	uint64_t read = done - source_bytes_passed(from);
	double rate = spent_ns ? (double)read * SECOND / (double)spent_ns : 0;
	uint64_t left;

	if (rate < 1)
		return;
	buf_printf(text, "  %.*f MiB/s", rate < 10485760 ? 1 : 0, rate / (1 << 20));
	if (all < done || all == 0)
		return;
	left = (uint64_t)((double)(all - done) / rate);
	if (left >= 3600)
		buf_printf(text, "  ETA %llu:%02u:%02u", (unsigned long long)left / 3600, (unsigned)(left / 60 % 60),
			   (unsigned)(left % 60));
	else
		buf_printf(text, "  ETA %02u:%02u", (unsigned)(left / 60), (unsigned)(left % 60));
}

void inputs_show_progress(struct progress *p, const char *verb, const struct source *from)
{
	unsigned long long done, all, groups;
	uint64_t now = clock_mono_ns();
	struct buf text;

	if (!progress_is_due(p, now))
		return;
	groups = source_groups_total(from);
	done = source_bytes_read(from) >> 20;
	all = source_bytes_total(from) >> 20;
	buf_init(&text);
	buf_add_str(&text, str_from(verb));
	if (groups > 1)
		buf_printf(&text, " %llu/%llu files ", (unsigned long long)source_groups_begun(from), groups);
	buf_printf(&text, " %llu", done);
	if (all) /* a pipe does not say how much is to come */
		buf_printf(&text, " of %llu", all);
	buf_add_str(&text, STR(" MiB"));
	add_pace(&text, from, now - p->began_ns);
	progress_show(p, buf_str(&text), now);
	buf_free(&text);
}

void inputs_print(struct str text)
{
	fflush(stdout);
	stream_write(stderr, text);
}

void inputs_vsay(const struct term *warns, const char *format, va_list args)
{
	struct buf words, line;

	buf_init(&words);
	buf_init(&line);
	buf_vprintf(&words, format, args);
	if (warns)
		buf_printf(&line, "%swarning%s: ", term_style(warns->color, STYLE_WARNING),
			   term_style(warns->color, STYLE_PLAIN));
	term_add_text(&line, buf_str(&words));
	buf_add_byte(&line, '\n');
	inputs_print(buf_str(&line));
	buf_free(&words);
	buf_free(&line);
}

void inputs_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	inputs_vsay(NULL, format, args);
	va_end(args);
}

void inputs_note(const struct frame *f, const char *format, ...)
{
	va_list args;

	if (f->quiet)
		return;
	va_start(args, format);
	inputs_vsay(NULL, format, args);
	va_end(args);
}

void inputs_warn(const struct frame *f, const char *format, ...)
{
	va_list args;

	if (f->quiet)
		return;
	va_start(args, format);
	inputs_vsay(&f->err, format, args);
	va_end(args);
}

void inputs_print_failure(const struct frame *f, const struct err *why)
{
	struct buf text;

	buf_init(&text);
	error_add(&text, &f->err, f->command, why);
	inputs_print(buf_str(&text));
	buf_free(&text);
}
