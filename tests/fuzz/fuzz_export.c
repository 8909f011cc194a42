/*
 * A trace in every format of `trackway export`. Chunks of any size must give the same bytes, JSON must be JSON, a row of
 * CSV has as many cells as the head, a page has no markup of the trace's, and nothing that a terminal would act on may
 * be in any text.
 */
#include "flow/trace_load.h"
#include "fuzz.h"
#include "json/json.h"
#include "sink/export/export.h"
#include "source/memory.h"

struct exported {
	struct arena arena;
	struct trace_list runs;
	bool loaded;
	struct buf out;
};

static bool put(void *context, struct str bytes, struct err *err)
{
	(void)err;
	buf_add_str(context, bytes);
	return true;
}

static bool pass_over(void *context, const struct convert_input *input, struct err *err)
{
	(void)context;
	(void)input;
	(void)err;
	return true;
}

static void load(struct exported *e, struct str trace, size_t chunk)
{
	struct memory_file file = { STR("t.jsonl"), trace };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct source_options how = { .shape = SOURCE_LINES, .io = &io, .chunk_size = chunk };
	struct log_flow f = { .as = dialect_find(STR("agent-trace")), .jobs = 1, .permissive = true, .input = pass_over };
	struct err err = { .kind = ERR_NONE };

	arena_init(&e->arena);
	buf_init(&e->out);
	trace_list_init(&e->runs, &e->arena);
	f.from = source_open(&e->arena, &file.path, 1, how, &err);
	FUZZ_CHECK(f.from != NULL);
	e->loaded = trace_load(&f, &e->runs, &err);
	source_close(f.from);
}

static void forget(struct exported *e)
{
	trace_list_free(&e->runs);
	buf_free(&e->out);
	arena_free(&e->arena);
}

static bool write_as(struct exported *e, const struct export_format *f)
{
	static const struct export_options options = { .version = "0" };
	struct export x = { .options = &options, .arena = &e->arena, .put = put, .context = &e->out };
	struct err err = { .kind = ERR_NONE };
	bool done;

	buf_init(&x.out);
	buf_clear(&e->out);
	done = f->write(&x, &e->runs, &err);
	FUZZ_CHECK(done || err.kind == ERR_LIMIT);
	FUZZ_CHECK(done || e->out.n == 0);
	buf_free(&x.out);
	return done;
}

static void check_json(struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = false });
	struct val v;

	FUZZ_CHECK(json_parse_copy(p, text, &v, NULL));
	json_parser_close(p);
}

static void check_lines(struct str text)
{
	while (text.n)
		check_json(str_cut(text, '\n', &text));
}

static void check_csv(struct str text)
{
	size_t head = 0, cells = 0;
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		quoted ^= text.p[i] == '"';
		cells += !quoted && text.p[i] == ',';
		if (quoted || text.p[i] != '\n')
			continue;
		FUZZ_CHECK(head == 0 || cells == head);
		head = cells;
		cells = 0;
	}
	FUZZ_CHECK(!quoted && cells == 0);
}

static void check_page(struct str text)
{
	FUZZ_CHECK(!str_has_nocase(text, STR("<script")) && str_ends(text, STR("</html>\n")));
}

/* Texts in quotes end on their line. */
static void check_quotes(struct str text)
{
	while (text.n) {
		struct str line = str_cut(text, '\n', &text);
		bool quoted = false;

		for (size_t i = 0; i < line.n; i++) {
			if (quoted && line.p[i] == '\\')
				i++;
			else
				quoted ^= line.p[i] == '"';
		}
		FUZZ_CHECK(!quoted);
	}
}

static void check(const char *format, struct str text)
{
	static const struct {
		const char *format;
		void (*check)(struct str text);
	} checks[] = {
		{ "chrome", check_json }, { "speedscope", check_json }, { "ro-crate", check_json }, { "mooncake", check_lines },
		{ "csv", check_csv }, { "html", check_page }, { "dot", check_quotes }, { "mermaid", check_quotes },
	};

	for (size_t i = 0; i < COUNT(checks); i++) {
		if (strcmp(format, checks[i].format) != 0)
			continue;
		checks[i].check(text);
		for (size_t k = 0; k < text.n; k++)
			FUZZ_CHECK((unsigned char)text.p[k] >= 0x20 || strchr("\n\r\t", text.p[k]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct exported whole, cut;

	load(&whole, str_of(data, size), 0);
	load(&cut, str_of(data, size), 1);
	FUZZ_CHECK(whole.loaded == cut.loaded);
	for (const struct export_format *f = export_formats; f->name && whole.loaded; f++) {
		bool done = write_as(&whole, f);

		FUZZ_CHECK(write_as(&cut, f) == done && str_eq(buf_str(&whole.out), buf_str(&cut.out)));
		if (done)
			check(f->name, buf_str(&whole.out));
	}
	forget(&whole);
	forget(&cut);
	return 0;
}
