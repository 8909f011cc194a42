/*
 * Workers read chunks as what they look like, or as the hint says; the emitting side knows what the file group is, and
 * has a chunk that was read wrongly read again.
 */
#include "flow/convert.h"

#include <assert.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/crypto/sha256.h"
#include "dialect/reading/reading.h"
#include "flow/file_digest.h"
#include "flow/flow.h"


/* What the emitting side knows of the file group at hand: the workers need not guess then. */
struct hint {
	_Atomic uint64_t file_group; /* one more than its number; 0: nothing is known */
	_Atomic(const struct dialect *) dialect;
};

struct worker {
	const struct convert_options *options;
	struct hint *hint;
	struct json_parser *detector;
	struct reading *readings[DIALECTS_MOST];
};

/* What came of a chunk. */
struct result {
	const struct dialect *dialect; /* as which it was read; NULL for none */
	struct dialect_looks looks;
	bool blank;
	struct arena arena;
	struct event *events;
	size_t count, cap;
	struct coverage *coverage;
	uint64_t unreadable;
	bool torn;
	struct str refused; /* p NULL, or why the rest of the source is not read */
	uint64_t refused_line;
};

struct progress {
	struct convert_flow *flow;
	struct hint hint;
	struct worker again; /* for chunks whose format was guessed wrong */
	bool begun;          /* a file group is at hand */
	uint64_t file_group;
	struct arena arena;  /* of the file group */
	struct convert_input input;
	uint64_t first_line; /* of the beginning */
	struct buf beginning; /* of a file group whose format does not show yet; padded */
	bool unknown;         /* it will not show any more */
	struct coverage *coverage;
	struct err failure, emit_failure;
	char hex[SHA256_HEX];
	struct buf hashed; /* the file whose digest hex is: an archive has it for each of its members */
};

/* ---- workers ---- */

static void convert_worker_init(void *worker, void *context)
{
	struct progress *p = context;
	struct worker *w = worker;

	w->options = p->flow->options;
	w->hint = &p->hint;
	w->detector = dialect_detect_open();
}

static void convert_worker_free(void *worker)
{
	struct worker *w = worker;

	for (size_t i = 0; i < DIALECTS_MOST; i++) {
		if (!w->readings[i])
			continue;
		reading_free(w->readings[i]);
		mem_free(w->readings[i]);
	}
	json_parser_close(w->detector);
}

static void convert_result_init(void *result)
{
	arena_init(&((struct result *)result)->arena);
}

static void convert_result_free(void *result)
{
	struct result *r = result;

	arena_free(&r->arena);
	mem_free(r->events);
	coverage_close(r->coverage);
}

static struct reading *reading_of(struct worker *w, const struct dialect *d)
{
	size_t i = dialect_number(d);

	if (!w->readings[i]) {
		w->readings[i] = mem_alloc(sizeof(*w->readings[i]));
		reading_init(w->readings[i], d);
	}
	return w->readings[i];
}

/* Reads a chunk as this dialect (NULL: not at all) into *out, which forgets what it held. */
static void read_as(struct worker *w, const struct dialect *d, const struct chunk *in, struct result *out)
{
	struct reading *r;

	out->dialect = d;
	out->count = 0;
	out->refused = str_of(NULL, 0);
	arena_reset(&out->arena);
	coverage_close(out->coverage);
	out->coverage = NULL;
	if (!d || d == w->options->raw)
		return;
	r = reading_of(w, d);
	if (w->options->coverage)
		out->coverage = coverage_open();
	/* the events are made where they will stay */
	r->coverage = out->coverage;
	r->permissive = w->options->permissive;
	r->events = out->events;
	r->cap = out->cap;
	r->cr_ends_lines = in->input->events;
	reading_chunk(r, &out->arena, in->bytes, in->first_line, in->input->lines);
	out->events = r->events;
	out->count = r->count;
	out->cap = r->cap;
	out->unreadable = r->unreadable;
	out->torn = r->torn;
	out->refused = r->refused;
	out->refused_line = r->refused_line;
	r->events = NULL;
	r->count = r->cap = 0;
}

/* The hint may be late or gone: it only saves work, and a wrong guess is mended in convert_emit. */
static bool convert_work(void *worker, const struct chunk *in, void *result, struct err *err)
{
	struct worker *w = worker;
	struct result *r = result;
	const struct dialect *d = w->options->from;

	(void)err;
	r->looks = (struct dialect_looks){ .like = NULL };
	r->blank = str_trim(in->bytes).n == 0;
	if (!d && atomic_load(&w->hint->file_group) == in->input->file_group + 1)
		d = atomic_load(&w->hint->dialect);
	if (!d)
		d = dialect_detect(w->detector, in->bytes, in->input->lines,
				   in->last ? DIALECT_TO_READ : DIALECT_TO_READ_ON, &r->looks);
	read_as(w, d, in, r);
	return true;
}

/* ---- in order ---- */

/* The file itself, of which a member or the bytes of a pipe would be only a part. */
static struct str path_of(const struct input *input)
{
	struct str path = input->name;

	if (str_eq(path, STR("-")))
		return str_of(NULL, 0);
	if (input->member.p && str_ends(path, input->member) && path.n > input->member.n + 1)
		path.n -= input->member.n + 1;
	return path;
}

static bool hash_file(struct progress *p, struct str path)
{
	struct digest digest;

	if (p->hashed.n && str_eq(path, buf_str(&p->hashed)))
		return true;
	buf_clear(&p->hashed);
	if (!file_digest(path, &digest))
		return false;
	digest_hex(p->hex, digest);
	buf_add_str(&p->hashed, path);
	return true;
}

static void convert_begin(struct progress *p, const struct input *input)
{
	struct str path = path_of(input);

	arena_reset(&p->arena);
	p->begun = true;
	p->file_group = input->file_group;
	p->input = (struct convert_input){ .empty = true, .is_member = input->member.p != NULL };
	p->input.name = arena_copy(&p->arena, path.p ? path : input->name);
	p->coverage = p->flow->options->coverage ? coverage_open() : NULL;
}

/* What the file group is, by its first chunk that shows it. */
static void set_format(struct progress *p, const struct dialect *d, const struct input *input)
{
	struct str path = path_of(input), sha256 = str_of(NULL, 0);

	p->input.from = d;
	atomic_store(&p->hint.dialect, d);
	atomic_store(&p->hint.file_group, p->file_group + 1);
	if (p->flow->digest && path.p && hash_file(p, path))
		sha256 = str_of(p->hex, SHA256_HEX);
	pipeline_begin(p->flow->to, d, p->input.name, sha256);
}

/* Runs without times are not in the output. */
static void fail_untimed(struct progress *p)
{
	unsigned long long few = p->input.tally.untimed, all = few + p->input.tally.runs;

	if (few == all)
		err_set(&p->failure, ERR_DATA, "%.*s: it has no times, and a span must have a start",
			STR_ARG(p->input.name));
	else
		err_set(&p->failure, ERR_DATA, "%.*s: %llu of its %llu runs have no times, and a span must have a "
			"start", STR_ARG(p->input.name), few, all);
	err_advise(&p->failure, ADVICE_START);
	p->input.failure = &p->failure;
}

/* The file group is over. */
static bool convert_end(struct progress *p, struct err *err)
{
	struct convert_input *input = &p->input;
	uint64_t bytes_in = input->tally.bytes_in;
	bool good = true;

	p->begun = false;
	atomic_store(&p->hint.file_group, 0);
	if (input->from)
		good = pipeline_end(p->flow->to, input->failure != NULL, &input->tally, err);
	input->tally.bytes_in = bytes_in;
	if (good && input->tally.untimed && !input->failure)
		fail_untimed(p);
	input->coverage = p->coverage;
	good = good && p->flow->input(p->flow->context, input, err);
	coverage_close(p->coverage);
	p->coverage = NULL;
	return good;
}

/* An input begins: it belongs to the file group at hand, or ends it. */
static bool turn_to(struct progress *p, const struct input *input, struct err *err)
{
	if (p->begun && p->file_group == input->file_group)
		return true;
	if (p->begun && !convert_end(p, err))
		return false;
	convert_begin(p, input);
	return true;
}

/*
 * Chunks in which no format shows are kept, up to what a format may show in: the answer must not depend on where
 * the chunks were cut. *whole is the beginning as one chunk, once it is known what it is.
 */
static bool look_on(struct progress *p, const struct chunk *in, struct chunk *whole, const struct dialect **d)
{
	struct str text;
	bool full;

	if (p->unknown)
		return false;
	if (p->beginning.n == 0)
		p->first_line = in->first_line;
	buf_add_str(&p->beginning, in->bytes);
	memset(buf_reserve(&p->beginning, SOURCE_PAD), 0, SOURCE_PAD);
	text = buf_str(&p->beginning);
	full = in->last || dialect_head_is_full(text);
	*d = dialect_detect(p->again.detector, text, in->input->lines, full ? DIALECT_TO_READ : DIALECT_TO_READ_ON,
			    &p->input.looks);
	p->unknown = !*d && full;
	*whole = *in;
	whole->bytes = text;
	whole->first_line = p->first_line;
	return *d != NULL;
}

/* Whether it shows what the file group is: then *whole is what was read, what came before the chunk included. */
static bool read_beginning(struct progress *p, const struct chunk *in, struct result *r, struct chunk *whole)
{
	const struct dialect *d = r->dialect;

	if (p->beginning.n > 0 || !d) {
		if (!look_on(p, in, whole, &d))
			return false;
		read_as(&p->again, d, whole, r);
	}
	set_format(p, d, in->input);
	return true;
}

/* A line that must not be guessed at: the source ends before it, wherever its chunks were cut. */
static void fail_at_line(struct progress *p, const struct result *r)
{
	err_set(&p->failure, ERR_DATA, "%.*s:%llu: %.*s", STR_ARG(p->input.name),
		(unsigned long long)r->refused_line, STR_ARG(r->refused));
	err_advise(&p->failure, ADVICE_PERMISSIVE);
	p->input.failure = &p->failure;
}

/* Bytes that nobody read into events, to who asked for them. */
static bool pass_raw(struct progress *p, const struct chunk *in, struct err *err)
{
	struct convert_raw raw = { p->input.name, in->bytes, in->first_line, in->input->lines };

	if (p->flow->see)
		p->flow->see(p->flow->context, in->bytes);
	return p->flow->raw(p->flow->context, &raw, err);
}

/* What was read of this chunk, to the pipeline. */
static bool pass_on(struct progress *p, struct result *r, const struct chunk *in, struct err *err)
{
	bool used;

	if (p->input.from == p->flow->options->raw)
		return pass_raw(p, in, err);
	if (r->refused.p)
		fail_at_line(p, r);
	used = r->count || !p->input.failure;
	if (used && p->flow->see)
		p->flow->see(p->flow->context, in->bytes);
	if (used && r->coverage)
		coverage_merge(p->coverage, r->coverage);
	p->input.unreadable += r->unreadable;
	p->input.torn = p->input.torn || r->torn;
	return pipeline_add(p->flow->to, r->events, r->count, err) &&
	       (source_is_ready(p->flow->from) || pipeline_flush(p->flow->to, err));
}

/* In order: finds out what the file group is, reads again what was guessed wrong, and hands events to the pipeline. */
static bool convert_emit(void *context, const struct chunk *in, void *result, struct err *err)
{
	struct progress *p = context;
	struct result *r = result;
	struct chunk whole = *in;

	if (in->first && !turn_to(p, in->input, err))
		return false;
	assert(p->begun && p->file_group == in->input->file_group);
	if (in->first) { /* another member of the file group may show it */
		buf_clear(&p->beginning);
		p->unknown = false;
	}
	p->input.tally.bytes_in += in->bytes.n;
	p->input.empty = p->input.empty && r->blank;
	if (p->flow->tick)
		p->flow->tick(p->flow->context, p->flow->from);
	if (p->input.failure)
		return true;
	if (!p->input.from) {
		if (!read_beginning(p, in, r, &whole))
			return true;
	} else if (r->dialect != p->input.from) {
		read_as(&p->again, p->input.from, in, r);
	}
	return pass_on(p, r, &whole, err);
}

static bool convert_input_failed(void *context, const struct input *input, const struct err *why)
{
	struct progress *p = context;

	if (!turn_to(p, input, &p->emit_failure))
		return false;
	p->failure = *why;
	p->input.failure = &p->failure;
	return true;
}

bool convert_flow_run(struct convert_flow *f, struct err *err)
{
	struct progress p = { .flow = f };
	struct flow flow = {
		.from = f->from,
		.jobs = f->jobs,
		.worker_size = sizeof(struct worker),
		.worker_init = convert_worker_init,
		.worker_free = convert_worker_free,
		.result_size = sizeof(struct result),
		.result_init = convert_result_init,
		.result_free = convert_result_free,
		.work = convert_work,
		.emit = convert_emit,
		.input_failed = convert_input_failed,
		.context = &p,
	};
	bool done;

	arena_init(&p.arena);
	buf_init(&p.beginning);
	buf_init(&p.hashed);
	convert_worker_init(&p.again, &p);
	done = flow_run(&flow, err) && (!p.begun || convert_end(&p, err));
	if (!done && p.emit_failure.kind != ERR_NONE)
		*err = p.emit_failure; /* what stopped it was the output, not the file that could not be read */
	convert_worker_free(&p.again);
	coverage_close(p.coverage);
	buf_free(&p.beginning);
	buf_free(&p.hashed);
	arena_free(&p.arena);
	return done;
}
