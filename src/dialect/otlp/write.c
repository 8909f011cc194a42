/*
 * Spans of one resource and scope that follow each other share a group. The text of the group's head is compared with
 * that of the group that is open, so no key is needed for it.
 */
#include "dialect/otlp/write.h"

#include "dialect/otlp/give.h"
#include "dialect/otlp/make.h"
#include "dialect/otlp/put.h"
#include "dialect/otlp/read.h"

#define DOCUMENT_MAX ((size_t)32 << 20) /* bytes: collectors take 64 MiB. The next run begins another document then */

struct writer {
	struct writing *w;
	struct json_parser *parser;
	struct arena run, scratch;
	struct otlp_make *make;
	struct str *contexts; /* the members of a group, by their number in the run */
	size_t context_count, context_cap;
	struct buf head;  /* of the span at hand: the members of its group */
	struct buf group; /* of the group that is open */
	struct buf logs;  /* an envelope that is written behind that of the spans */
	struct buf log_group;
	size_t size;      /* of the document so far */
	bool run_open, native, begun; /* begun: the envelope is */
	bool any;         /* runs, in the document */
};

/* ---- the envelope ---- */

/* The next span of a group; `group` has the members before its list of scopes and spans. */
static void open_group(struct buf *out, struct buf *open, bool begun, const char *envelope, struct str group)
{
	if (begun && str_eq(buf_str(open), group)) {
		buf_add_byte(out, ',');
		return;
	}
	otlp_put_raw(out, begun ? "]}]}," : envelope);
	buf_add_str(out, group);
	buf_clear(open);
	buf_add_str(open, group);
}

static void put_span(struct writer *o, struct str group, struct str span)
{
	open_group(o->w->out, &o->group, o->begun, "{\"resourceSpans\":[", group);
	o->begun = true;
	buf_add_str(o->w->out, span);
}

/* The maker's callback. The head is made for each span: it is compared, and most are the same. */
static void put_made(void *context, struct str json)
{
	struct writer *o = context;

	buf_clear(&o->head);
	otlp_make_context(o->make, &o->head);
	put_span(o, buf_str(&o->head), json);
}

/* ---- groups of what was read ---- */

static void put_member(struct buf *out, const char *name, struct val v)
{
	if (val_is_none(v))
		return;
	otlp_put_raw(out, name);
	otlp_give_record(out, v);
	buf_add_byte(out, ',');
}

/* {"resource":...,"schemaUrl":...,"scopeSpans":[{"scope":...,"schemaUrl":...,"spans":[ */
static void make_group(struct buf *out, struct val context, bool logs)
{
	struct val process = val_get(context, STR("process"));

	buf_add_byte(out, '{');
	if (!val_is_none(process)) {
		otlp_put_raw(out, "\"resource\":");
		otlp_give_process(out, process);
		buf_add_byte(out, ',');
	}
	put_member(out, "\"resource\":", val_get(context, STR("resource")));
	put_member(out, "\"schemaUrl\":", val_get(context, STR("resource/schemaUrl")));
	otlp_put_raw(out, logs ? "\"scopeLogs\":[{" : "\"scopeSpans\":[{");
	put_member(out, "\"scope\":", val_get(context, STR("scope")));
	put_member(out, "\"schemaUrl\":", val_get(context, STR("scope/schemaUrl")));
	otlp_put_raw(out, logs ? "\"logRecords\":[" : "\"spans\":[");
}

/* A flat dump has scope and resource in the span. */
static void make_flat_group(struct buf *out, struct val span)
{
	struct val resource = val_get(span, STR("resource")), url = val_get(resource, STR("schema_url"));
	enum otlp_shape shape;

	buf_add_byte(out, '{');
	if (otlp_span_is(span, &shape) && shape == OTLP_SDK) {
		if (val_is(val_get(resource, STR("attributes")), JSON_OBJECT)) {
			otlp_put_raw(out, "\"resource\":{\"attributes\":");
			otlp_give_attributes(out, val_get(resource, STR("attributes")));
			otlp_put_raw(out, "},");
		}
		if (val_is(url, JSON_STRING))
			put_member(out, "\"schemaUrl\":", url);
		otlp_put_raw(out, "\"scopeSpans\":[{");
		put_member(out, "\"scope\":", val_get(span, STR("scope")));
	} else {
		otlp_put_raw(out, "\"scopeSpans\":[{");
	}
	otlp_put_raw(out, "\"spans\":[");
}

/* The assembler gives contexts in the order of their numbers. Another number is none of ours and is passed over. */
static void keep_context(struct writer *o, const struct event *e)
{
	uint64_t number;

	if (!num_parse_u64(e->content, &number) || number != o->context_count + 1)
		return;
	mem_grow(o->contexts, o->context_count, o->context_cap, 8);
	o->contexts[o->context_count++] = arena_copy(&o->run, event_find_extra(e, STR(OTLP_KEY)));
}

/* The group of the record at hand, into o->head. */
static void find_group(struct writer *o, const struct event *e, bool logs)
{
	struct val rest = writing_rest(o->parser, e, OTLP_KEY);
	int64_t at;

	buf_clear(&o->head);
	if (val_i64(val_get(rest, STR("at")), &at) && at > 0 && (uint64_t)at <= o->context_count)
		make_group(&o->head, writing_parse(o->parser, o->contexts[at - 1]), logs);
	else if (logs)
		make_group(&o->head, VAL_NONE, true);
	else
		make_flat_group(&o->head, val_get(rest, STR("span")));
}

/*
 * Gives back the span or log record that an event carries. Events without one add nothing; parts of an envelope that
 * OTLP has no place for are counted as losses.
 */
static void give_record(struct writer *o, const struct event *e)
{
	struct val rest = writing_rest(o->parser, e, OTLP_KEY), log = val_get(rest, STR("log"));
	struct buf record = { 0 };

	if (!val_has(rest, STR("span")) && val_is_none(log)) {
		if (e->kind == EVENT_NOTE && !val_is_none(rest))
			losses_add(o->w->losses, "members of an envelope that OTLP does not have");
		return;
	}
	if (val_is_none(log))
		otlp_give_span(&record, &o->scratch, val_get(rest, STR("span")), o->w->losses);
	else
		otlp_give_record(&record, log);
	find_group(o, e, !val_is_none(log)); /* parses: what was read before is gone */
	if (val_is_none(log)) {
		put_span(o, buf_str(&o->head), buf_str(&record));
	} else {
		open_group(&o->logs, &o->log_group, o->logs.n > 0, "{\"resourceLogs\":[", buf_str(&o->head));
		buf_add_str(&o->logs, buf_str(&record));
	}
	buf_free(&record);
	arena_reset(&o->scratch);
}

/* ---- runs ---- */

/* What there is becomes one request: spans of all runs, and log records, which are another kind of request. */
static void end_document(struct writer *o)
{
	if (!o->any)
		return;
	if (o->begun)
		otlp_put_raw(o->w->out, "]}]}]}\n");
	else if (!o->logs.n)
		otlp_put_raw(o->w->out, "{\"resourceSpans\":[]}\n");
	if (o->logs.n) {
		buf_add_str(o->w->out, buf_str(&o->logs));
		otlp_put_raw(o->w->out, "]}]}]}\n");
	}
	o->any = o->begun = false;
	o->size = 0;
	buf_clear(&o->logs);
	buf_clear(&o->group);
	buf_clear(&o->log_group);
}

/* A run that breaks off has its root all the same. */
static void otlp_write_end_run(struct writer *o)
{
	struct event end = { .kind = EVENT_RUN_END, .index = -1, .status = STATUS_INTERRUPTED };

	if (!o->run_open)
		return;
	if (!o->native)
		otlp_make_event(o->make, &end);
	o->run_open = false;
}

/* A document that is too long ends between runs only: no run is in two documents. */
static void otlp_write_begin_run(struct writer *o, const struct event *e)
{
	struct val rest = writing_rest(o->parser, e, OTLP_KEY);

	if (o->size + o->logs.n > DOCUMENT_MAX)
		end_document(o);
	o->run_open = o->any = true;
	o->native = val_has(rest, STR("trace"));
	o->context_count = 0;
	arena_reset(&o->run);
}

void *otlp_write_open(struct writing *w)
{
	struct writer *o = mem_alloc(sizeof(*o));

	*o = (struct writer){ .w = w };
	o->parser = json_parser_open((struct json_options){ .allow_duplicates = true });
	o->make = otlp_make_open(w->losses, put_made, o);
	arena_init(&o->run);
	arena_init(&o->scratch);
	return o;
}

void otlp_write_close(void *writer)
{
	struct writer *o = writer;

	json_parser_close(o->parser);
	otlp_make_close(o->make);
	arena_free(&o->run);
	arena_free(&o->scratch);
	buf_free(&o->head);
	buf_free(&o->group);
	buf_free(&o->logs);
	buf_free(&o->log_group);
	mem_free(o->contexts);
	mem_free(o);
}

bool otlp_write_event(void *writer, const struct event *e, struct err *err)
{
	struct writer *o = writer;
	size_t before = o->w->out->n;

	(void)err;
	if (e->kind == EVENT_RUN_START) {
		otlp_write_end_run(o);
		otlp_write_begin_run(o, e);
	}
	if (!o->native)
		otlp_make_event(o->make, e);
	else if (e->kind == EVENT_NOTE && str_eq(e->role, STR("otlp.scope")))
		keep_context(o, e);
	else if (e->kind != EVENT_RUN_START)
		give_record(o, e);
	if (e->kind == EVENT_RUN_END)
		o->run_open = false;
	o->size += o->w->out->n - before;
	return true;
}

bool otlp_write_end(void *writer, struct err *err)
{
	(void)err;
	otlp_write_end_run(writer);
	end_document(writer);
	return true;
}
