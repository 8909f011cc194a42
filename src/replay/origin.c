/* One reading of the log for places and tools, one by the flow of `trackway hash` for the hashes. */
#include "replay/origin.h"

#include "base/file.h"
#include "capture/derive.h"
#include "flow/digest.h"
#include "json/json.h"
#include "source/memory.h"

#define ORIGIN_MOST ((size_t)2 << 30)

/* ---- places and tools ---- */

struct reader {
	struct arena *arena;
	struct origin *o;
	size_t cap;
	struct origin_tool **last;
};

static void add_place(struct reader *r, struct val x, int64_t seq)
{
	int64_t number;

	if (!val_i64(x, &number) || number < 0)
		return;
	arena_grow(r->arena, r->o->places, r->o->place_count, r->cap, 64);
	r->o->places[r->o->place_count++] = (struct origin_place){ (uint64_t)number, seq };
}

/* "tool://agent/say" is called "say"; other forms keep their last part, too. */
static void add_tool(struct reader *r, struct val uri)
{
	struct str name = str_basename(val_text_or_none(uri, r->arena));
	struct origin_tool *t = r->o->tools;

	if (!name.n)
		return;
	while (t && !str_eq(t->name, name))
		t = t->next;
	if (!t) {
		t = arena_new(r->arena, struct origin_tool);
		t->name = arena_copy(r->arena, name);
		*r->last = t;
		r->last = &t->next;
	}
	t->calls++;
}

static void read_record(struct reader *r, struct val v)
{
	struct val ext = val_get(v, STR("ext")), note;
	struct val notes = val_get(val_get(ext, STR("trackway/1")), STR("notes"));
	struct val_iter it = val_begin(notes);
	int64_t seq;

	if (!val_i64(val_get(v, STR("seq")), &seq))
		return;
	add_place(r, val_get(val_get(val_get(ext, STR("cassette/1")), STR("exchange")), STR("x")), seq);
	while (val_next(&it, &note))
		add_place(r, val_get(val_get(note, STR("content")), STR("x")), seq);
	if (val_text_is(val_get(v, STR("type")), STR("tool_call")))
		add_tool(r, val_get(v, STR("tool")));
}

static void read_lines(struct arena *a, struct str text, struct origin *out)
{
	struct reader r = { .arena = a, .o = out, .last = &out->tools };
	struct json_parser *parser = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct json_record record;
	struct json_issue issue;
	struct json_lines it;
	enum json_line kind;

	json_lines_begin(&it, parser, text, 1);
	while ((kind = json_lines_next(&it, &record, &issue)) != JSON_LINE_END)
		if (kind == JSON_LINE_VALUE) {
			read_record(&r, record.value);
			out->records++;
		}
	json_parser_close(parser);
}

int64_t origin_seq(const struct origin *o, uint64_t x)
{
	for (size_t i = 0; i < o->place_count; i++)
		if (o->places[i].x == x)
			return o->places[i].seq;
	return -1;
}

/* ---- hashes ---- */

struct hasher {
	struct arena *arena;
	struct origin *o;
};

static struct str label_digest(struct arena *a, const char *label, struct digest d)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	return ARENA_JOIN(a, str_from(label), str_of(hex, sizeof(hex)));
}

/* A cassette is one run; of several the first counts. */
static bool take_hashes(void *context, const struct digest_input *in, struct err *err)
{
	struct hasher *h = context;
	const struct otutl_run *run = in->runs;

	(void)err;
	if (in->failure || !in->run_count || !run->hashed)
		return true;
	h->o->run_hash = label_digest(h->arena, OTUTL_LABEL_RUN, run->run_hash);
	if (run->has_behavior)
		h->o->behavior_hash = label_digest(h->arena, OTUTL_LABEL_BEHAVIOR, run->behavior_hash);
	return true;
}

static bool hash_text(struct arena *a, struct str text, struct origin *out, struct err *err)
{
	struct memory_file file = { STR("run.otutl.jsonl"), text };
	struct memory m = { &file, 1, 0 };
	struct source_io io = memory_io(&m);
	struct hasher h = { a, out };
	struct digest_flow f = { .jobs = 1, .finding_limit = 1, .input = take_hashes, .context = &h };
	bool done;

	f.from = source_open(a, &file.path, 1, (struct source_options){ .shape = SOURCE_LINES, .io = &io }, err);
	if (!f.from)
		return false;
	done = digest_flow_run(&f, err);
	source_close(f.from);
	return done;
}

/* ---- swaps ---- */

static struct str swap_one(struct arena *a, struct str text, struct str from, struct str to)
{
	struct buf out;
	size_t at;

	if (!from.n || !str_has(text, from))
		return text;
	buf_init(&out);
	while ((at = str_find(text, from)) != (size_t)-1) {
		buf_add(&out, text.p, at);
		buf_add_str(&out, to);
		text = str_skip(text, at + from.n);
	}
	buf_add_str(&out, text);
	return arena_take(a, &out);
}

struct str origin_swap_all(struct arena *a, struct str text, const struct origin_swap *swaps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text = swap_one(a, text, swaps[i].from, swaps[i].to);
	return text;
}

bool origin_make(struct arena *a, struct str cassette, int dir, struct str path, struct str name,
		 const struct origin_swap *swaps, size_t count, struct origin *out, struct err *err)
{
	struct coverage_summary coverage;
	struct str text;
	char *padded;

	*out = (struct origin){ .tools = NULL };
	if (!derive_convert_covered(a, cassette, "otutl", dir, name, &coverage, err) ||
	    !file_read(a, path, ORIGIN_MOST, &text, err))
		return err_context(err, "the tool-use log of the cassette");
	out->coverage = coverage.overall;
	text = origin_swap_all(a, text, swaps, count);
	padded = arena_array(a, char, text.n + JSON_PAD);
	memcpy(padded, text.p, text.n);
	text.p = padded;
	read_lines(a, text, out);
	return hash_text(a, text, out, err);
}

bool origin_hash_file(struct arena *a, struct str path, struct origin *out, struct err *err)
{
	struct str text;
	char *padded;

	if (!file_read(a, path, ORIGIN_MOST, &text, err))
		return false;
	padded = arena_array(a, char, text.n + JSON_PAD);
	memcpy(padded, text.p, text.n);
	text.p = padded;
	return hash_text(a, text, out, err);
}
