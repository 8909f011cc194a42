/*
 * Output to one file or to standard output passes through as it comes. In a directory each run waits in a spool and
 * replaces its file when it is whole. Messages go to standard error as inputs end, sums at the end.
 */
#include "cmd/convert_output.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "cmd/convert_coverage.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/term.h"
#include "source/raw.h"

#define STEM_MAX 200 /* bytes: a number, the ending and the mark of a temporary file must fit behind it */

static bool is_stdout(struct str path)
{
	return !path.p || str_eq(path, STR("-"));
}

/* Refuses, before anything is read, what could destroy an input or mix two outputs. */
static bool check_places(struct convert_output *o, struct err *err)
{
	if (is_stdout(o->path) && o->coverage_json.p && is_stdout(o->coverage_json))
		return usage_set(err, "write one of them to a file: -o FILE, or --coverage-json FILE",
				 "the converted log and the coverage would both go to standard output");
	return logs_check_output(&o->logs, "-o", o->path, err) &&
	       logs_check_output(&o->logs, "--coverage-json", o->coverage_json, err);
}

/* Always false. */
static bool refuse_place(const struct convert_output *o, struct err *err)
{
	return usage_set(err, "name a directory with -o; a slash at the end makes one",
			 "%s needs a directory to write to", o->update ? "--update" : "--flat");
}

/* Finds out whether the path is a directory, and makes one that ends in a slash. Its parents are not made. */
static bool make_place(struct convert_output *o, struct err *err)
{
	struct stat st;
	int why = stat(o->path.p, &st) == 0 ? 0 : errno;

	o->is_directory = why == 0 ? S_ISDIR(st.st_mode) : str_ends(o->path, STR("/"));
	if (!o->is_directory && (o->flat || o->update))
		return refuse_place(o, err);
	if (why == 0 || !o->is_directory)
		return true;
	if (why == ENOTDIR)
		return usage_set(err, "name another place with -o", "%.*s is not a directory", STR_ARG(o->path));
	o->made_directory = mkdir(o->path.p, 0777) == 0;
	if (o->made_directory)
		return true;
	err_system(err, errno, "cannot make the directory %.*s", STR_ARG(o->path));
	return logs_explain_output(err);
}

static bool open_tree(struct convert_output *o, struct err *err)
{
	struct mirror_options how = {
		.dir = o->path,
		.format = str_from(o->target->name),
		.suffix = str_from(o->target->suffix),
		.maker = o->maker,
		.update = o->update,
	};

	return convert_tree_open(&o->tree, o->arena, &o->logs, how, err);
}

bool convert_output_init(struct convert_output *o, struct err *err)
{
	o->fd = STDOUT_FILENO;
	term_json_init(&o->screen, o->fd, o->frame->out.is_terminal);
	spool_init(&o->spool);
	map_init(&o->names, o->arena);
	if (!logs_init(&o->logs, o->arena, o->frame, "convert", o->named, o->named_count, err) ||
	    !check_places(o, err))
		return false;
	if (is_stdout(o->path) ? (o->flat || o->update) && !refuse_place(o, err) : !make_place(o, err))
		return false;
	o->is_tree = o->is_directory && !o->flat;
	if (o->is_tree && !open_tree(o, err))
		return false;
	if (o->coverage || o->coverage_json.p) {
		o->sum = coverage_open();
		o->packed_in = packed_size_open(err);
		o->packed_out = o->packed_in ? packed_size_open(err) : NULL;
		o->part_in = o->packed_out ? packed_size_open(err) : NULL;
		o->part_out = o->part_in ? packed_size_open(err) : NULL;
		return o->part_out != NULL;
	}
	return true;
}

/* That have their places; those of a source that is not over, or could not take them, do not count. */
static uint64_t convert_count_files(const struct convert_output *o)
{
	return o->tree.mirror ? mirror_sums(o->tree.mirror)->files : o->files;
}

void convert_output_free(struct convert_output *o)
{
	bool is_empty = convert_count_files(o) == 0;

	convert_tree_close(&o->tree);
	if (o->made_directory && is_empty)
		(void)rmdir(o->path.p);
	spool_free(&o->spool);
	coverage_close(o->sum);
	for (size_t i = 0; i < o->format_count; i++)
		coverage_close(o->sums[i]);
	packed_size_close(o->packed_in);
	packed_size_close(o->packed_out);
	packed_size_close(o->part_in);
	packed_size_close(o->part_out);
}

/* ---- bytes ---- */

/* "a/b/session.jsonl.gz" gives "session". A very long name is cut between two characters. */
static struct str stem_of(struct str path)
{
	static const char *const endings[] = { ".gz", ".zst", ".jsonl", ".ndjson", ".json", ".eval", ".sse", ".traj",
					      ".log", ".txt" };
	struct str name = str_basename(path);

	for (size_t i = 0; i < COUNT(endings); i++)
		if (name.n > strlen(endings[i]) && str_ends(name, str_from(endings[i])))
			name.n -= strlen(endings[i]);
	return str_eq(path, STR("-")) ? STR("stdin") : utf8_cut(name, STEM_MAX);
}

/* A file of its own for each run, whatever the sources are called. */
static bool open_file(void *context, struct str part, uint64_t run, struct err *err)
{
	struct convert_output *o = context;
	struct str stem = stem_of(part), first, name;
	bool added = false, slash = str_ends(o->path, STR("/"));
	uint64_t n;

	(void)run;
	if (o->is_tree)
		return mirror_begin_run(o->tree.mirror, part, err);
	first = name = arena_printf(o->arena, "%.*s%s", STR_ARG(stem), o->target->suffix);
	n = ++*map_add(&o->names, first, &added);
	n = n < 2 ? 2 : n; /* the first one of a name may have been the second of another */
	for (; !added; n++) {
		name = arena_printf(o->arena, "%.*s-%llu%s", STR_ARG(stem), (unsigned long long)n, o->target->suffix);
		map_add(&o->names, name, &added);
		*map_find(&o->names, first) = n;
	}
	o->source = arena_copy(o->arena, part);
	o->file = arena_printf(o->arena, "%.*s%s%.*s", STR_ARG(o->path), slash ? "" : "/", STR_ARG(name));
	spool_free(&o->spool);
	spool_init(&o->spool);
	return true;
}

/* For convert_sink: counts the bytes, then hands them to the spool, the screen or the file. */
static bool convert_output_put(void *context, struct str bytes, struct err *err)
{
	struct convert_output *o = context;

	o->bytes += bytes.n;
	if (o->packed_out) {
		packed_size_add(o->packed_out, bytes);
		packed_size_add(o->part_out, bytes);
	}
	if (o->is_tree)
		return mirror_put(o->tree.mirror, bytes, err);
	if (o->is_directory)
		return spool_add(&o->spool, bytes, err);
	return o->fd == STDOUT_FILENO ? term_json_put(&o->screen, bytes, err) : file_write_all(o->fd, bytes, err);
}

/* Counts the file also when it cannot be written: then the error ends the command. */
static bool close_file(void *context, struct err *err)
{
	struct convert_output *o = context;

	o->files++;
	if (o->is_tree)
		return mirror_end_run(o->tree.mirror, err);
	if (!stream_replace_later(o->file, &o->spool, err))
		return false;
	logs_say_written(&o->logs, o->source, o->path, str_basename(o->file));
	return true;
}

/* To whoever looks on; and the id that the source has for a run, for the index of a tree. */
static void see_event(void *context, const struct event *e)
{
	struct convert_output *o = context;

	if (o->seen)
		o->seen(o->seen_context, e);
	if (o->is_tree && e->kind == EVENT_RUN_START && e->run.n)
		mirror_set_id(o->tree.mirror, e->run);
}

struct convert_sink convert_output_sink(struct convert_output *o)
{
	return (struct convert_sink){
		.open = open_file,
		.put = convert_output_put,
		.close = close_file,
		.seen = o->is_tree || o->seen ? see_event : NULL,
		.context = o,
	};
}

/* ---- what is said ---- */

/* Says why an input was not converted, by what is known of it. */
static bool explain_refusal(const struct convert_input *part, struct err *why)
{
	struct str name = raw_title(part->name);

	if (part->from)
		return err_set(why, ERR_DATA, "%.*s was read as %s, but it holds no run" ERR_HELP
			       "--from FORMAT sets another format; 'trackway formats' lists them", STR_ARG(name),
			       part->from->name);
	if (part->empty)
		return err_set(why, ERR_DATA, "%.*s is empty: it holds no run", STR_ARG(name));
	if (part->looks.is_damaged)
		return err_set(why, ERR_DATA, "%.*s looks like %s, but it is not one whole JSON value" ERR_HELP
			       "'trackway validate --as json' says where it breaks", STR_ARG(name), part->looks.like);
	if (part->looks.like)
		return err_set(why, ERR_DATA, "%.*s looks like %s, which cannot be converted" ERR_HELP "%s",
			       STR_ARG(name), part->looks.like,
			       part->looks.help ? part->looks.help : "'trackway formats' lists what can");
	return err_set(why, ERR_DATA, "%.*s: the format is unknown" ERR_HELP
		       "'trackway formats' lists what can be read; --from FORMAT sets the format", STR_ARG(name));
}

/* For the title of the coverage table. */
static void note_format(struct convert_output *o, const struct dialect *d)
{
	struct str name = str_from(d->name);

	if (!o->from.p)
		o->from = name;
	else if (!str_eq(o->from, name))
		o->from = STR("several");
}

/* What was converted, of all and of its format. */
static void cover(struct convert_output *o, const struct convert_input *part)
{
	struct str name = str_from(part->from->name);
	size_t i = 0;

	if (!o->sum || !part->coverage)
		return;
	coverage_merge(o->sum, part->coverage);
	while (i < o->format_count && !str_eq(o->formats[i].from, name))
		i++;
	if (i == DIALECTS_MOST)
		return;
	if (i == o->format_count) {
		o->sums[i] = coverage_open();
		o->formats[i] = (struct convert_covered){
			.from = name, .to = str_from(o->target->name), .coverage = o->sums[i],
			.sizes = { .has_gzip = true },
		};
		o->format_count++;
	}
	coverage_merge(o->sums[i], part->coverage);
	o->formats[i].runs += part->tally.runs;
	o->formats[i].sizes.source += o->bytes_in - o->part_bytes_in;
	o->formats[i].sizes.output += o->bytes - o->part_bytes;
	o->formats[i].sizes.source_gzip += packed_size_restart(o->part_in);
	o->formats[i].sizes.output_gzip += packed_size_restart(o->part_out);
}

/* The next source begins: what was counted of one that gave no run is of no format. */
static void restart_sizes(struct convert_output *o)
{
	if (!o->part_out)
		return;
	packed_size_restart(o->part_in);
	packed_size_restart(o->part_out);
	o->part_bytes_in = o->bytes_in;
	o->part_bytes = o->bytes;
}

static void add_tally(struct buf *text, const struct convert_tally *t)
{
	amounts_add_things(text, t->runs, "run");
	buf_add_str(text, STR(", "));
	amounts_add_things(text, t->events[EVENT_STEP], "model step");
	buf_add_str(text, STR(", "));
	amounts_add_things(text, t->events[EVENT_CALL], "tool call");
}

/* With -v what an input was read as; in any case what of it could not be read. */
static void say_read(struct convert_output *o, const struct convert_input *part)
{
	struct buf text;

	buf_init(&text);
	if (o->frame->verbose) {
		buf_add_str(&text, STR("read "));
		term_add_text(&text, raw_title(part->name));
		buf_printf(&text, " as %s (", part->from->name);
		add_tally(&text, &part->tally);
		buf_add_str(&text, STR(")\n"));
		logs_say(&o->logs, &text);
	}
	buf_free(&text);
	logs_say_damage(&o->logs, part,
			str_eq(str_from(o->target->name), STR("otutl")) ? "; each became an error record" : "");
}

/* What is told of a source, and added up. */
static void take_part(struct convert_output *o, const struct convert_input *part)
{
	bool has_runs = part->from && part->tally.runs > 0;

	if (has_runs) {
		note_format(o, part->from);
		cover(o, part);
	}
	if (part->failure)
		logs_fail(&o->logs, part->failure);
	else if (has_runs)
		say_read(o, part);
	else
		logs_refuse(&o->logs, part, explain_refusal);
}

bool convert_output_part(void *output, const struct convert_input *part, struct err *err)
{
	struct convert_output *o = output;

	o->ended++;
	take_part(o, part);
	restart_sizes(o);
	return !o->is_tree || convert_tree_end_source(&o->tree, part, err);
}

void convert_output_see(void *output, struct str bytes)
{
	struct convert_output *o = output;

	o->bytes_in += bytes.n;
	if (o->packed_in) {
		packed_size_add(o->packed_in, bytes);
		packed_size_add(o->part_in, bytes);
	}
}

void convert_output_tick(void *output, const struct source *from)
{
	struct convert_output *o = output;

	o->total = source_groups_total(from);
	inputs_show_progress(&o->logs.progress, "convert", from);
}

/* ---- the end ---- */

/* Nothing for standard output: whoever reads it sees what was written. */
static void say_written(struct convert_output *o, const struct convert_tally *t, struct buf *text)
{
	if (is_stdout(o->path))
		return;
	buf_add_str(text, STR("wrote "));
	term_add_text(text, o->path);
	buf_add_str(text, STR(" ("));
	if (o->is_directory) {
		amounts_add_things(text, convert_count_files(o), "file");
		buf_add_str(text, STR(", "));
	}
	add_tally(text, t);
	buf_printf(text, ", %llu bytes)\n", (unsigned long long)o->bytes);
	logs_say(&o->logs, text);
}

/* The table on standard error, and the JSON that --coverage-json wants, once all inputs are read. */
static bool show_coverage(struct convert_output *o, const struct pipeline *c, struct buf *text, struct err *err)
{
	struct convert_covered t = {
		.runs = pipeline_tally(c)->runs,
		.from = o->from,
		.to = str_from(o->target->name),
		.coverage = o->sum,
		.sizes = { .source = o->bytes_in, .output = o->bytes, .has_gzip = true },
		.formats = o->formats,
		.format_count = o->format_count > 1 ? o->format_count : 0,
	};

	t.sizes.source_gzip = packed_size_end(o->packed_in);
	t.sizes.output_gzip = packed_size_end(o->packed_out);
	if (o->coverage) {
		convert_coverage_add_text(text, o->arena, &t);
		progress_erase(&o->logs.progress);
		inputs_print(buf_str(text));
		buf_clear(text);
	}
	if (!o->coverage_json.p)
		return true;
	convert_coverage_add_json(text, o->arena, &t);
	if (str_eq(o->coverage_json, STR("-")))
		return file_write_all(STDOUT_FILENO, buf_str(text), err);
	return file_replace(o->coverage_json, buf_str(text), 0666, err);
}

int convert_output_end(struct convert_output *o, const struct pipeline *c, struct err *err)
{
	bool good = true, has_runs = pipeline_tally(c)->runs > 0, has_output = has_runs;
	struct buf text;

	if (o->is_tree && !convert_tree_finish(&o->tree, true, err))
		return EXIT_FAIL;
	if (o->is_tree)
		has_output = has_runs || mirror_sums(o->tree.mirror)->unchanged > 0;
	else if (o->is_directory && o->files && !file_sync_all(o->path, err))
		return EXIT_FAIL;
	buf_init(&text);
	progress_erase(&o->logs.progress);
	if (has_runs)
		say_written(o, pipeline_tally(c), &text);
	if (!o->target->dialect->write->lacks_cost)
		logs_say_unpriced(&o->logs, pipeline_unpriced(c));
	if (o->is_tree)
		convert_tree_say_rest(&o->tree);
	logs_say_losses(&o->logs, o->target->name, pipeline_losses(c));
	logs_say_skipped(&o->logs, !has_output);
	if (o->sum && has_runs)
		good = show_coverage(o, c, &text, err);
	buf_free(&text);
	if (!good)
		return EXIT_FAIL;
	return o->logs.failed || !has_output ? EXIT_CANNOT : EXIT_YES;
}

/* "interrupted: 3 of 12 sources are done" */
static void convert_add_interrupted(const struct convert_output *o, struct buf *text)
{
	uint64_t done = o->ended + (o->is_tree ? mirror_sums(o->tree.mirror)->unchanged : 0);
	uint64_t total = o->total > done ? o->total : done;

	const char *how = stop_signal() == SIGTERM ? "terminated" : stop_signal() ? "interrupted" : "stopped";

	buf_printf(text, "%s: %llu of %llu source%s %s done; ", how, (unsigned long long)done,
		   (unsigned long long)total, total == 1 ? "" : "s", done == 1 ? "is" : "are");
}

/* Whether an output is in the directory, of this job or because it is unchanged. */
static bool has_outputs(const struct convert_output *o)
{
	return o->is_directory && (convert_count_files(o) || (o->is_tree && mirror_sums(o->tree.mirror)->unchanged));
}

void convert_output_interrupt(struct convert_output *o)
{
	struct err why = { .kind = ERR_NONE };
	struct buf text;

	if (o->is_tree && !convert_tree_finish(&o->tree, false, &why))
		logs_fail(&o->logs, &why);
	buf_init(&text);
	convert_add_interrupted(o, &text);
	if (is_stdout(o->path)) {
		buf_add_str(&text, STR("the output breaks off there"));
	} else {
		buf_add_str(&text, has_outputs(o) ? STR("their outputs are in ") : STR("nothing was written to "));
		term_add_text(&text, o->path);
	}
	if (o->is_tree && has_outputs(o))
		buf_add_str(&text, STR("\nto go on, repeat the command with --update"));
	buf_add_byte(&text, '\n');
	logs_say(&o->logs, &text);
	buf_free(&text);
}
