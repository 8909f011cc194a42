/* Events to the audit and, beside it, to a writer of OTUTL, whose lines are counted and thrown away. */
#include "flow/audit_load.h"

#include "dialect/writing.h"

struct audit_loading {
	struct log_flow *flow;
	struct audit_list *list;
	struct audit_reader *reader;
	struct json_parser *parser;
	const struct write_ops *ops;
	struct writing writing;
	void *writer;
	struct buf lines;
	uint64_t next;   /* seq of the next record */
	bool open;       /* a run is */
	size_t of_input; /* the first run of the input at hand */
};

/* A run begins with this line: its id and first seq are as they are written. */
static void audit_load_begin(struct audit_loading *l, struct str line)
{
	struct arena *a = l->list->arena;
	struct val start = writing_parse(l->parser, line);
	struct audit_run *run = audit_run_new(a);
	int64_t seq;

	arena_grow(a, l->list->runs, l->list->count, l->list->cap, 4);
	l->list->runs[l->list->count++] = run;
	run->run_id = val_text_copy(val_get(start, STR("run_id")), a);
	l->next = val_i64(val_get(start, STR("seq")), &seq) && seq > 0 ? (uint64_t)seq : 0;
	l->open = true;
}

/*
 * The record of an event is the last one that is written for it. A note or message has none so far: it will be in the
 * next. Before a run_start may stand the end of a run that had none; a run without a run_start is given one.
 */
static bool audit_load_event(void *context, const struct event *e, struct err *err)
{
	struct audit_loading *l = context;
	struct str lines, line = { NULL, 0 };
	struct audit_run *run;
	uint64_t records = 0;

	buf_clear(&l->lines);
	if (!l->ops->event(l->writer, e, err))
		return false;
	for (lines = buf_str(&l->lines); lines.n; records++) {
		line = str_cut(lines, '\n', &lines);
		if (records == 0 && !l->open && e->kind != EVENT_RUN_START)
			audit_load_begin(l, line);
	}
	if (e->kind == EVENT_RUN_START || !l->open) {
		audit_load_begin(l, line);
		records = records > 0;
	}
	run = l->list->runs[l->list->count - 1];
	l->next += records;
	run->records += records;
	l->open = e->kind != EVENT_RUN_END;
	audit_run_add(l->reader, run, e, figure_is_known(e->seq) ? e->seq.n : l->next - (records > 0));
	return true;
}

static bool audit_load_input(void *context, const struct convert_input *input, struct err *err)
{
	struct audit_loading *l = context;

	if (!input->from || input->failure)
		return log_refuse(input, err);
	for (; l->of_input < l->list->count; l->of_input++) {
		struct audit_run *run = l->list->runs[l->of_input];

		run->input = arena_copy(l->list->arena, input->name);
		run->unreadable = input->unreadable;
		run->complete = run->complete && !input->torn;
	}
	return true;
}

static void audit_load_tick(void *context, const struct source *from)
{
	struct audit_loading *l = context;

	if (l->flow->tick)
		l->flow->tick(l->flow->context, from);
}

bool audit_load(struct log_flow *f, struct audit_list *out, struct err *err)
{
	struct audit_loading l = { .flow = f, .list = out, .ops = dialect_find(STR("otutl"))->write };
	struct log_flow through = *f;
	bool done;

	through.input = audit_load_input;
	through.tick = audit_load_tick;
	through.context = &l;
	buf_init(&l.lines);
	l.writing = (struct writing){ .out = &l.lines };
	l.writer = l.ops->open(&l.writing);
	l.reader = audit_reader_open();
	l.parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	done = event_load(&through, audit_load_event, err);
	json_parser_close(l.parser);
	audit_reader_close(l.reader);
	l.ops->close(l.writer);
	buf_free(&l.lines);
	return done;
}
