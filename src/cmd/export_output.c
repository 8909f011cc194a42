/* Bytes of an export pass through as they are made; a file is replaced, and a directory made, when all are there. */
#include "cmd/export_output.h"

#include <unistd.h>

#include "base/file.h"
#include "cmd/screen/amounts.h"

static bool export_output_is_stdout(const struct export_output *o)
{
	return !o->path.p || str_eq(o->path, STR("-"));
}

bool export_output_init(struct export_output *o, struct err *err)
{
	bool is_dir = !export_output_is_stdout(o) && (str_ends(o->path, STR("/")) || file_is_dir(o->path));

	export_parts_init(&o->parts, o->arena);
	if (o->is_binary && !o->path.p && o->frame->out.is_terminal)
		return usage_set(err, "add -o FILE, or a pipe", "%s is no text for a terminal", o->format->name);
	if (!logs_check_output(o->logs, "-o", o->path, err))
		return false;
	if (!is_dir)
		return true;
	if (!o->format->in_dir)
		return usage_set(err, "name a file", "%.*s is a directory, and %s is one file", STR_ARG(o->path),
				 o->format->name);
	o->parts.dir = export_dir_open(NULL, o->path, false, err);
	return o->parts.dir || logs_explain_output(err);
}

void export_output_free(struct export_output *o)
{
	if (o->parts.dir)
		export_dir_abort(o->parts.dir);
	export_parts_free(&o->parts);
}

bool export_output_keep(struct export_output *o, size_t runs, bool begins, struct str bytes, struct err *err)
{
	if (begins && !export_parts_begin(&o->parts, runs, err))
		return false;
	return export_parts_add(&o->parts, bytes, err);
}

static bool export_output_put(void *context, struct str bytes, struct err *err)
{
	struct export_output *o = context;

	o->bytes += bytes.n;
	if (o->fd < 0)
		return export_dir_add(o->parts.dir, bytes, err);
	return o->fd == STDOUT_FILENO ? term_json_put(&o->screen, bytes, err) : file_write_all(o->fd, bytes, err);
}

/* For file_replace_by: writes everything to `fd`. */
static bool export_output_write_to(void *context, int fd, struct err *err)
{
	struct export_output *o = context;
	struct buf notes;
	struct export x = {
		.options = o->options, .arena = o->arena, .losses = losses_open(), .notes = &notes,
		.parts = o->format->in_dir ? &o->parts : NULL, .put = export_output_put, .context = o,
	};
	bool done;

	o->fd = fd;
	buf_init(&notes);
	buf_init(&x.out);
	term_json_init(&o->screen, fd, o->frame->out.is_terminal);
	done = o->format->write(&x, o->runs, err);
	if (done) {
		logs_say_losses(o->logs, o->format->name, x.losses);
		logs_say(o->logs, &notes);
	}
	losses_close(x.losses);
	buf_free(&x.out);
	buf_free(&notes);
	return done;
}

/* The metadata goes last: it has the digests of what is there already. */
static bool export_output_write_dir(struct export_output *o, struct err *err)
{
	struct export_dir *d = o->parts.dir;

	for (size_t i = 0; i < o->parts.count; i++)
		o->bytes += o->parts.items[i].bytes;
	if (!export_dir_begin(d, str_from(o->format->in_dir), err) || !export_output_write_to(o, -1, err) ||
	    !export_dir_end(d, err))
		return false;
	o->parts.dir = NULL; /* freed in any case */
	return export_dir_commit(d, err);
}

static void export_output_say(struct export_output *o)
{
	uint64_t nodes = 0;
	struct buf text;

	for (size_t i = 0; i < o->runs->count; i++)
		nodes += o->runs->items[i].count;
	buf_init(&text);
	buf_add_str(&text, STR("wrote "));
	term_add_text(&text, o->path);
	buf_add_str(&text, STR(" ("));
	if (o->runs->count > 1) {
		amounts_add_things(&text, o->runs->count, "run");
		buf_add_str(&text, STR(", "));
	}
	amounts_add_things(&text, nodes, "node");
	buf_add_str(&text, STR(", "));
	amounts_add_bytes(&text, o->bytes);
	buf_add_str(&text, STR(")\n"));
	logs_say(o->logs, &text);
	buf_free(&text);
}

bool export_output_write(struct export_output *o, const struct trace_list *runs, struct err *err)
{
	o->runs = runs;
	if (!export_parts_end(&o->parts, err))
		return false;
	if (export_output_is_stdout(o))
		return export_output_write_to(o, STDOUT_FILENO, err);
	if (o->parts.dir ? !export_output_write_dir(o, err)
			 : !file_replace_by(o->path, export_output_write_to, o, 0666, err))
		return logs_explain_output(err);
	export_output_say(o);
	return true;
}
