/*
 * Until a second run shows, it is not known whether one run or several will be in an output, and some formats differ
 * there. So both are written, spooled, and one is dropped.
 */
#include "flow/pipeline.h"

#include <assert.h>

#include "base/ascii.h"
#include "dialect/agent_trace/clean.h"
#include "flow/run_name.h"
#include "flow/run_times.h"
#include "model/assemble.h"
#include "sink/spool.h"

#define TIER_MOST 12 /* bytes of a tier that is shown: "provisioned" */

#define FULL ((size_t)256 << 10) /* of output, before it is handed over */

/* A writer with what it writes to. */
struct output {
	struct writing writing;
	struct buf bytes;
	void *writer;
	struct spool spool; /* while it is not known which of two will be wanted */
	bool spooled, open;
};

struct pipeline {
	const struct convert_options *o;
	struct convert_sink sink;
	struct assemble *as;
	void *folds[DIALECTS_MOST];
	/* `plain` is for one run, `joined` for several in one output; without a difference only `plain` is used */
	struct output plain, joined;
	struct losses *losses;
	struct run_name *name_run;
	bool naming; /* the run at hand has no id so far */
	struct run_times times;
	/* the source at hand */
	const struct dialect *from;
	bool as_read; /* its events are told as they are read; those that are not written pass by the assembler */
	struct str name, sha256;
	uint64_t runs;
	struct convert_tally tally, all;
	struct price_gaps unpriced;
};

static const struct write_ops *ops_of(const struct pipeline *c)
{
	return c->o->to->write;
}

static void output_init(struct output *out)
{
	*out = (struct output){ 0 };
	buf_init(&out->bytes);
	spool_init(&out->spool);
}

static void output_free(struct pipeline *c, struct output *out)
{
	if (out->writer)
		ops_of(c)->close(out->writer);
	buf_free(&out->bytes);
	spool_free(&out->spool);
}

/* `single`: several runs share this output, and its writer must join them. */
static void output_open(struct pipeline *c, struct output *out, bool single)
{
	assert(!out->open && !out->writer);
	out->writing = (struct writing){
		.out = &out->bytes,
		.losses = c->losses,
		.variant = c->o->variant,
		.chunks = c->o->chunks,
		.single = single,
	};
	out->writing.source_format = str_from(c->from->name);
	out->writing.source_sha256 = c->sha256;
	out->writer = ops_of(c)->open(&out->writing);
	out->open = true;
}

static bool hand_over(void *context, struct str bytes, struct err *err)
{
	struct pipeline *c = context;

	c->tally.bytes_out += bytes.n;
	return bytes.n == 0 || c->sink.put(c->sink.context, bytes, err);
}

/* Hands over what was written, or spools it while it is not known which of two outputs is wanted. */
static bool drain(struct pipeline *c, struct output *out, struct err *err)
{
	struct str bytes = buf_str(&out->bytes);
	bool good = out->spooled ? spool_add(&out->spool, bytes, err) : hand_over(c, bytes, err);

	buf_clear(&out->bytes);
	return good;
}

static bool write_event(struct pipeline *c, struct output *out, const struct event *e, struct err *err)
{
	struct losses *losses = out->writing.losses;
	bool good;

	if (!out->open)
		return true;
	if (event_is_torn(e))
		out->writing.losses = NULL; /* it is told with the source, and nothing else was lost */
	good = ops_of(c)->event(out->writer, e, err);
	out->writing.losses = losses;
	return good && (out->bytes.n < FULL || drain(c, out, err));
}

static bool end_output(struct pipeline *c, struct output *out, struct err *err)
{
	bool good;

	assert(out->open && out->writer);
	good = ops_of(c)->end(out->writer, err) && drain(c, out, err);

	ops_of(c)->close(out->writer);
	out->writer = NULL;
	out->open = false;
	return good;
}

static void drop_output(struct pipeline *c, struct output *out)
{
	ops_of(c)->close(out->writer);
	output_free(c, &(struct output){ .spool = out->spool, .bytes = out->bytes });
	output_init(out);
}

/* The first run of all, or of an output of its own. */
static bool begin_first(struct pipeline *c, struct err *err)
{
	if (c->o->per_run && !c->sink.open(c->sink.context, c->name, c->runs, err))
		return false;
	output_open(c, &c->plain, false);
	if (ops_of(c)->joins && !c->o->per_run) {
		output_open(c, &c->joined, true);
		c->joined.writing.losses = NULL; /* the other one counts them, while it is there */
		c->plain.spooled = c->joined.spooled = true;
	}
	return true;
}

/* Another one for the same output: now it is known that there are several. */
static bool begin_next(struct pipeline *c, struct err *err)
{
	struct output *j = &c->joined;

	if (!j->open || !c->plain.open)
		return true;
	drop_output(c, &c->plain);
	j->writing.losses = c->losses;
	j->spooled = false;
	return spool_pass(&j->spool, hand_over, c, err) && drain(c, j, err);
}

static bool begin_run(struct pipeline *c, struct err *err)
{
	c->runs++;
	c->tally.runs++;
	if (c->sink.event)
		return true;
	if (c->plain.open || c->joined.open) {
		c->plain.writing.source_format = c->joined.writing.source_format = str_from(c->from->name);
		c->plain.writing.source_sha256 = c->joined.writing.source_sha256 = c->sha256;
		return begin_next(c, err);
	}
	return begin_first(c, err);
}

static bool write_all(void *context, const struct event *e, struct err *err)
{
	struct pipeline *c = context;

	if (c->sink.seen && !c->as_read)
		c->sink.seen(c->sink.context, e);
	if (c->sink.event)
		return c->sink.event(c->sink.context, e, err);
	if (!write_event(c, &c->plain, e, err) || !write_event(c, &c->joined, e, err))
		return false;
	if (e->kind == EVENT_RUN_END && c->o->per_run)
		return end_output(c, &c->plain, err) && c->sink.close(c->sink.context, err);
	return true;
}

/* With the time it is to have. */
static bool put_timed(void *context, const struct event *e, struct err *err)
{
	struct pipeline *c = context;

	c->tally.events[e->kind]++;
	return (e->kind != EVENT_RUN_START || begin_run(c, err)) && write_all(c, e, err);
}

/* With its id. */
static bool put_named(void *context, const struct event *e, struct err *err)
{
	struct pipeline *c = context;
	bool laid_out = !c->sink.event && ops_of(c)->needs_times;

	return laid_out ? run_times_add(&c->times, e, put_timed, c, err) : put_timed(c, e, err);
}

/* To the writers, once a run that they want an id of has one. */
static bool deliver(struct pipeline *c, const struct event *e, struct err *err)
{
	if (e->kind == EVENT_RUN_START)
		c->naming = (c->sink.event || ops_of(c)->names_runs) && e->run.n == 0;
	if (!c->naming)
		return put_named(c, e, err);
	if (!c->name_run)
		c->name_run = run_name_open(c->o->chunks);
	if (!run_name_add(c->name_run, e, err))
		return false;
	if (!run_name_is_known(c->name_run))
		return true;
	c->naming = false;
	return run_name_give(c->name_run, put_named, c, err);
}

/* A tier is one short word; what is not is not shown. */
static struct str shown_tier(struct str tier)
{
	bool good = tier.n <= TIER_MOST;

	for (size_t i = 0; i < tier.n && good; i++)
		good = ascii_is_alpha(tier.p[i]) || tier.p[i] == '_' || tier.p[i] == '-';
	return good ? tier : STR("unknown");
}

/* A finished event: priced, and on its way to the writers. */
static bool put_event(void *context, const struct event *e, struct err *err)
{
	struct pipeline *c = context;
	struct event priced;

	assert(!e->hint); /* the fold's own: it does not go on */
	if (e->kind == EVENT_COST && c->o->prices) {
		priced = *e;
		/* as a trace would name it: what is no name is not shown either */
		price_gaps_add(&c->unpriced, e->model.n ? clean_model(e->model) : e->model, shown_tier(e->tier),
			       price_event(c->o->prices, &priced));
		e = &priced;
	}
	return deliver(c, e, err);
}

struct pipeline *pipeline_open(const struct convert_options *o, struct convert_sink sink)
{
	struct pipeline *c = mem_alloc(sizeof(*c));

	assert(o->to || sink.event);
	assert(!o->as_read || sink.event || sink.seen);
	memset(c, 0, sizeof(*c));
	c->o = o;
	c->sink = sink;
	c->as = assemble_open(put_event, c);
	c->losses = losses_open();
	run_times_init(&c->times, o->start_ns, str_from(o->to && o->to->read ? o->to->read->key : NULL));
	price_gaps_init(&c->unpriced);
	output_init(&c->plain);
	output_init(&c->joined);
	return c;
}

void pipeline_close(struct pipeline *c)
{
	if (!c)
		return;
	for (size_t i = 0; dialects[i]; i++)
		if (c->folds[i])
			dialects[i]->read->fold_close(c->folds[i]);
	assemble_close(c->as);
	output_free(c, &c->plain);
	output_free(c, &c->joined);
	losses_close(c->losses);
	run_name_close(c->name_run);
	run_times_free(&c->times);
	price_gaps_free(&c->unpriced);
	mem_free(c);
}

static void **pipeline_fold_of(struct pipeline *c)
{
	return &c->folds[dialect_number(c->from)];
}

void pipeline_begin(struct pipeline *c, const struct dialect *from, struct str name, struct str sha256)
{
	const struct read_ops *read = from->read;
	void **fold;

	assert(read);
	c->from = from;
	c->as_read = false;
	for (size_t i = 0; c->o->as_read && c->o->as_read[i]; i++)
		c->as_read = c->as_read || c->o->as_read[i] == from;
	if (c->sink.begin)
		c->sink.begin(c->sink.context, from);
	c->name = name;
	c->sha256 = sha256;
	c->runs = 0;
	if (c->o->apart) { /* it makes the ids of runs differ from each other */
		run_name_close(c->name_run);
		c->name_run = NULL;
	}
	c->tally = (struct convert_tally){ 0 };
	c->times.refused = 0;
	assemble_use(c->as, (struct assemble_options){ .flags = read->assemble, .vendor = str_from(read->vendor) });
	fold = pipeline_fold_of(c);
	if (read->fold_open && !*fold)
		*fold = read->fold_open();
}

/* An event of the source, to the first that wants it: the sink, the dialect's fold or the assembler. */
static bool pipeline_pass(struct pipeline *c, const struct event *e, struct err *err)
{
	const struct read_ops *read = c->from->read;

	if (c->as_read && c->sink.event)
		return c->sink.event(c->sink.context, e, err);
	if (c->as_read)
		c->sink.seen(c->sink.context, e);
	if (read->fold)
		return read->fold(*pipeline_fold_of(c), e, c->as, err);
	return assemble_add(c->as, e, err);
}

bool pipeline_add(struct pipeline *c, const struct event *events, size_t count, struct err *err)
{
	assert(!c->from->read->fold_open || *pipeline_fold_of(c));
	for (size_t i = 0; i < count; i++)
		if (!pipeline_pass(c, &events[i], err))
			return false;
	return true;
}

bool pipeline_flush(struct pipeline *c, struct err *err)
{
	struct output *out = c->joined.open && !c->plain.open ? &c->joined : &c->plain;

	return !out->open || out->spooled || drain(c, out, err);
}

static void add_up(struct convert_tally *all, const struct convert_tally *one)
{
	all->runs += one->runs;
	all->bytes_out += one->bytes_out;
	for (size_t i = 0; i < EVENT_KINDS; i++)
		all->events[i] += one->events[i];
}

bool pipeline_end(struct pipeline *c, bool interrupted, struct convert_tally *tally, struct err *err)
{
	const struct read_ops *read = c->from->read;
	bool good = (!read->fold_end || read->fold_end(*pipeline_fold_of(c), c->as, err)) &&
		    assemble_end(c->as, interrupted, err);

	good = good && pipeline_flush(c, err);
	c->tally.untimed = c->times.refused;
	if (tally)
		*tally = c->tally;
	add_up(&c->all, &c->tally);
	c->tally = (struct convert_tally){ 0 };
	return good;
}

bool pipeline_finish(struct pipeline *c, struct err *err)
{
	struct output *wanted = c->plain.open ? &c->plain : &c->joined;
	bool good;

	if (!wanted->open)
		return true;
	good = end_output(c, wanted, err);
	if (good && wanted->spooled)
		good = spool_pass(&wanted->spool, hand_over, c, err);
	add_up(&c->all, &c->tally);
	return good;
}

const struct price_gaps *pipeline_unpriced(const struct pipeline *c)
{
	return &c->unpriced;
}

const struct convert_tally *pipeline_tally(const struct pipeline *c)
{
	return &c->all;
}

const struct losses *pipeline_losses(const struct pipeline *c)
{
	return c->losses;
}
