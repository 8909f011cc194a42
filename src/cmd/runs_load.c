/* Directories of runs are noted while the others are walked for logs (run_table_enter), and read afterwards. */
#include "cmd/runs_load.h"

#include "cmd/inputs.h"
#include "dialect/formats.h"

static void runs_load_entry(void *context, const struct trace_entry *e)
{
	struct runs_load *l = context;
	size_t run = run_table_add_row(l->table, &e->row);

	if (l->row)
		l->row(l->context, run, &e->row);
}

static void runs_load_event(void *context, const struct event *e)
{
	struct runs_load *l = context;

	l->event(l->context, e);
}

static void runs_load_begin(void *context, const struct dialect *from)
{
	struct runs_load *l = context;

	l->begin(l->context, from);
}

static bool runs_load_end_input(void *context, const struct convert_input *input, struct err *err)
{
	struct runs_load *l = context;
	size_t runs = l->table->count - l->table->log_from;

	(void)err;
	run_table_end_log(l->table, input->name, input->from ? input->from->name : "");
	for (size_t i = l->table->count - runs; i < l->table->count && !l->prices; i++) {
		l->table->list[i].unpriced.count = 0; /* nobody asked for prices */
		l->table->list[i].is_whole = TRUTH_NULL;
	}
	if (runs)
		l->format = input->from;
	if (input->failure)
		logs_fail(&l->logs, input->failure);
	else if (runs == 0)
		logs_refuse(&l->logs, input, log_refuse);
	else
		logs_say_damage(&l->logs, input, "");
	return true;
}

static void runs_load_tick(void *context, const struct source *from)
{
	struct runs_load *l = context;

	inputs_show_progress(&l->logs.progress, l->logs.verb, from);
}

bool runs_load_paths(struct runs_load *l, const struct str *paths, size_t count, struct err *err)
{
	static const struct dialect *const by_line[] = { &trajectory_dialect, &conversation_dialect, NULL };
	struct source_options how = { .shape = logs_shape_of(l->as), .file_groups = true, .io = l->io,
				      .enter = run_table_enter, .enter_context = l->table };
	struct log_flow f = {
		.as = l->as, .jobs = l->jobs, .permissive = l->permissive, .prices = l->prices,
		.input = runs_load_end_input, .tick = runs_load_tick, .as_read = by_line, .context = l,
		.event = l->event ? runs_load_event : NULL, .begin = l->begin ? runs_load_begin : NULL,
	};
	struct err why = { .kind = ERR_NONE };
	bool done = true;

	if (!logs_init(&l->logs, l->arena, l->frame, l->frame->command->name, paths, count, err))
		return false;
	for (size_t at = 0; done && at < count;) {
		f.from = inputs_open_next(l->arena, paths, count, &at, how, &why);
		if (!f.from) {
			logs_missing(&l->logs, &why);
			continue;
		}
		done = trace_visit(&f, runs_load_entry, err);
		source_close(f.from);
	}
	run_table_read(l->table);
	progress_erase(&l->logs.progress);
	return done;
}
