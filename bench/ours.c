/*
 * ours parse|canon|hash|hash2|document|write|validate FILE [--variant NAME] [--threads N] [--passes N] [--repeat N]
 *   parse     every line parsed with every check, through the interface that the commands use
 *   canon     and written in canonical form
 *   hash      and the canonical lines hashed in one SHA-256: the run hash
 *   hash2     the same with the hashing on a second thread
 *   document  the file is one value, parsed --repeat times a pass
 *   write     the canonical lines on standard output, without line ends
 *   validate  every rule of the file's format, from seeing which it is to the last finding; there must be
 *             none. On one thread from memory, as the parser has it; on several through a source and a flow,
 *             copied into their buffers as a read would do it
 * The variant in use is printed with the figures.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/crypto/sha256.h"
#include "base/err.h"
#include "base/file.h"
#include "common.h"
#include "flow/validate.h"
#include "json/canon.h"
#include "json/json.h"
#include "source/lines.h"
#include "source/memory.h"
#include "tail.h"

struct reader {
	struct json_parser *parser;
	struct canon *canon; /* NULL: parse only */
	struct buf out;
	void (*full)(struct reader *r); /* gets the canonical bytes of a chunk in `out`; may be NULL */
	struct sha256 sha;
	struct tail *tail;
	size_t bad;
};

static void full_hash(struct reader *r)
{
	sha256_add(&r->sha, buf_str(&r->out));
}

static void full_push(struct reader *r)
{
	tail_push(r->tail, &r->out);
}

static void full_write(struct reader *r)
{
	struct err err;

	if (!file_write_all(STDOUT_FILENO, buf_str(&r->out), &err))
		bench_fail("standard output", err.text);
}

static void tail_hash(void *context, struct str bytes)
{
	struct reader *r = context;

	sha256_add(&r->sha, bytes);
}

static void canon_line(struct reader *r, struct val value)
{
	enum json_code code;
	uint32_t bad_at;

	if (!canon_value(r->canon, value, &r->out, &bad_at, &code))
		bench_fail("canon", "refused a line");
}

static size_t read_chunk(void *state, struct bench_text chunk)
{
	struct reader *r = state;
	struct json_lines it;
	struct json_record record;
	struct json_issue issue;
	enum json_line line;
	size_t records = 0;

	buf_clear(&r->out);
	json_lines_begin(&it, r->parser, str_of(chunk.p, chunk.n), 1);
	while ((line = json_lines_next(&it, &record, &issue)) != JSON_LINE_END) {
		records += line != JSON_LINE_BLANK;
		r->bad += line == JSON_LINE_BAD;
		if (r->canon && line == JSON_LINE_VALUE)
			canon_line(r, record.value);
	}
	if (r->full)
		r->full(r);
	return records;
}

static struct bench_sample pass_lines(struct reader *readers, unsigned threads, struct bench_text text,
				      struct digest *digest)
{
	void *states[BENCH_THREADS_MAX];
	struct bench_sample sample;
	struct bench_clock begin;

	for (unsigned i = 0; i < threads; i++) {
		readers[i].bad = 0;
		states[i] = &readers[i];
	}
	sha256_restart(&readers->sha);
	begin = bench_now();
	sample = bench_chunks(text, BENCH_CHUNK, threads, read_chunk, states);
	if (readers->tail)
		tail_wait(readers->tail);
	if (readers->full)
		*digest = sha256_end(&readers->sha);
	sample.took = bench_since(begin);
	for (unsigned i = 0; i < threads; i++)
		sample.refused += readers[i].bad;
	return sample;
}

static struct bench_sample pass_document(struct reader *r, struct bench_text text, unsigned repeat)
{
	struct bench_sample sample = { .bytes = text.n * repeat, .records = repeat };
	struct bench_clock begin = bench_now();
	struct val value;

	for (unsigned i = 0; i < repeat; i++)
		sample.refused += !json_parse(r->parser, str_of(text.p, text.n), &value, NULL);
	sample.took = bench_since(begin);
	return sample;
}

struct verdict {
	struct bench_sample sample;
	const char *found; /* a code, or NULL */
};

static bool input_done(void *context, const struct validate_input *part, struct err *err)
{
	struct verdict *v = context;

	(void)err;
	if (part->failure)
		bench_fail("validate", part->failure->text);
	v->sample.bytes = part->bytes;
	v->sample.records = part->tally.records;
	v->found = part->findings->counts_count ? part->findings->counts[0].code : NULL;
	return true;
}

/* The rules alone, as the parser is measured alone: chunks of the text where it lies. */
static struct verdict pass_validate_here(struct bench_text text)
{
	struct verdict v = { .found = NULL };
	struct check_options options = { .finding_limit = 50 };
	struct bench_clock begin = bench_now();
	struct json_parser *detector = dialect_detect_open();
	const struct dialect *d = dialect_detect(detector, str_of(text.p, text.n), true, DIALECT_TO_CHECK, NULL);
	void *scanner = d->ops->scanner_open(d, &options), *batch = d->ops->batch_open(d);
	void *fold = d->ops->fold_open(d, &options);
	struct check_chunk in = { .first_line = 1, .lines = true };
	struct check_tally tally;
	struct findings findings;
	struct arena arena;
	struct err err;

	arena_init(&arena);
	findings_init(&findings, &arena, options.finding_limit);
	d->ops->begin(fold, &findings);
	for (size_t n; in.origin < text.n; in.origin += n) {
		const char *p = text.p + in.origin, *lf;

		n = text.n - in.origin < SOURCE_CHUNK ? text.n - in.origin : SOURCE_CHUNK;
		lf = memrchr(p, '\n', n);
		n = lf ? (size_t)(lf - p) + 1 : text.n - in.origin;
		in.bytes = str_of(p, n);
		d->ops->scan(scanner, &in, batch);
		if (!d->ops->fold(fold, batch, &err))
			bench_fail("validate", err.text);
		in.first_line += lines_count(in.bytes);
	}
	d->ops->finish(fold, &tally);
	v.found = findings.counts_count ? findings.counts[0].code : NULL;
	d->ops->scanner_close(scanner);
	d->ops->batch_close(batch);
	d->ops->fold_close(fold);
	json_parser_close(detector);
	arena_free(&arena);
	v.sample.took = bench_since(begin);
	v.sample.bytes = text.n;
	v.sample.records = tally.records;
	return v;
}

static struct verdict pass_validate(struct bench_text text, unsigned threads)
{
	struct memory_file file = { STR("run.jsonl"), str_of(text.p, text.n) };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct source_options options = { .shape = SOURCE_CONTENT, .io = &io };
	struct verdict v = { .found = NULL };
	struct validate_flow flow = { .jobs = threads, .input = input_done, .context = &v };
	struct bench_clock begin = bench_now();
	struct arena arena;
	struct err err;

	arena_init(&arena);
	flow.from = source_open(&arena, &file.path, 1, options, &err);
	if (!flow.from || !validate_flow_run(&flow, &err))
		bench_fail("validate", err.text);
	source_close(flow.from);
	arena_free(&arena);
	v.sample.took = bench_since(begin);
	return v;
}

/* Only the whole file has its summary, so that the part that warms up may have findings. */
static void measure_validate(struct bench_text text, unsigned threads, unsigned passes)
{
	pass_validate(bench_warm(text), threads);
	for (unsigned i = 0; i < passes; i++) {
		struct verdict v = threads > 1 ? pass_validate(text, threads) : pass_validate_here(text);

		if (v.found)
			bench_fail(v.found, "in a file about which there should be nothing to find");
		bench_report(v.sample, NULL, json_variant());
	}
}

static const struct mode {
	const char *name;
	bool canon, tail;
	void (*full)(struct reader *r);
} modes[] = {
	{ "parse", false, false, NULL },     { "canon", true, false, NULL },    { "hash", true, false, full_hash },
	{ "hash2", true, true, full_push },  { "document", false, false, NULL }, { "write", true, false, full_write },
	{ "validate", false, false, NULL },
};

static const struct mode *mode_find(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, name) == 0)
			return &modes[i];
	bench_fail(name, "parse, canon, hash, hash2, document, write or validate");
}

static void reader_init(struct reader *r, const struct mode *mode, struct arena *a)
{
	*r = (struct reader){ .parser = json_parser_open((struct json_options){ 0 }), .full = mode->full };
	if (mode->canon)
		r->canon = canon_open(CANON_JCS);
	buf_init(&r->out);
	sha256_init(&r->sha);
	if (mode->tail)
		r->tail = tail_open(a, tail_hash, r);
}

static void reader_free(struct reader *r)
{
	if (r->tail)
		tail_close(r->tail);
	sha256_free(&r->sha);
	buf_free(&r->out);
	if (r->canon)
		canon_close(r->canon);
	json_parser_close(r->parser);
}

static void measure(struct reader *readers, unsigned threads, struct bench_text text, unsigned repeat)
{
	char hex[SHA256_HEX + 1] = "-";
	struct digest digest;
	struct bench_sample sample = repeat ? pass_document(readers, text, repeat)
					    : pass_lines(readers, threads, text, &digest);

	if (readers->full)
		digest_hex(hex, digest);
	bench_report(sample, hex, json_variant());
}

static void measure_all(const struct mode *mode, struct bench_text text, unsigned threads, unsigned passes,
			unsigned repeat)
{
	struct reader readers[BENCH_THREADS_MAX];
	struct digest digest;
	struct arena arena;

	arena_init(&arena);
	for (unsigned i = 0; i < threads; i++)
		reader_init(&readers[i], mode, &arena);
	if (mode->full == full_write) {
		pass_lines(readers, 1, text, &digest);
	} else {
		if (repeat == 0)
			pass_lines(readers, threads, bench_warm(text), &digest);
		for (unsigned i = 0; i < passes; i++)
			measure(readers, threads, text, repeat);
	}
	for (unsigned i = 0; i < threads; i++)
		reader_free(&readers[i]);
	arena_free(&arena);
}

int main(int argc, char **argv)
{
	unsigned threads = bench_number(argc, argv, "--threads", 1), passes = bench_number(argc, argv, "--passes", 1);
	unsigned repeat = 0;
	const struct mode *mode;
	struct bench_text text;
	const char *variant = bench_option(argc, argv, "--variant", NULL);

	if (variant && !json_use_variant(str_from(variant)))
		bench_fail(variant, "no such variant here");
	if (argc < 3 || threads > BENCH_THREADS_MAX)
		bench_fail("usage", "ours MODE FILE [--variant NAME] [--threads N] [--passes N] [--repeat N]");
	mode = mode_find(argv[1]);
	text = bench_load(argv[2]);
	if (strcmp(mode->name, "document") == 0)
		repeat = bench_number(argc, argv, "--repeat", 1);
	if (strcmp(mode->name, "validate") == 0)
		measure_validate(text, threads, passes);
	else
		measure_all(mode, text, threads, passes, repeat);
	return 0;
}
