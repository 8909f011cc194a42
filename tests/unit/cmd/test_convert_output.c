/* Where convert writes and what it says about it, over real files; whole command lines are tested in tests/cli/convert. */
#include "cmd/convert_output.h"

#include <errno.h>

#include "harness/test.h"
#include "unit/source/scratch.h"

static const struct frame loud = { .out = { .width = 80 }, .err = { .width = 80 } };
static const struct frame quiet = { .out = { .width = 80 }, .err = { .width = 80 }, .quiet = true };
static const struct frame verbose = { .out = { .width = 80 }, .err = { .width = 80 }, .verbose = 1 };

/* One run of one step, which comes back as it is. */
#define CHAT "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"content\":\"ho\"}\n"

struct fixture {
	struct arena arena;
	struct convert_output output;
	struct str said; /* on standard error */
	struct err err;
	struct scratch dir;
};

static void begin(struct fixture *x, const struct frame *frame, const char *to, const char *path)
{
	*x = (struct fixture){ .dir = scratch_enter() };
	arena_init(&x->arena);
	x->output = (struct convert_output){ .arena = &x->arena, .frame = frame, .target = target_find(str_from(to)) };
	if (path)
		x->output.path = str_from(path);
}

static void end(struct fixture *x)
{
	convert_output_free(&x->output);
	arena_free(&x->arena);
	scratch_leave(&x->dir);
}

static int convert_sources(struct fixture *x)
{
	struct convert_output *o = &x->output;
	struct convert_options options = { .to = o->target->dialect, .variant = o->target->variant,
					   .per_run = o->is_directory, .coverage = o->sum != NULL };
	struct pipeline *c = pipeline_open(&options, convert_output_sink(o));
	struct convert_flow f = {
		.jobs = 1, .options = &options, .to = c, .context = o,
		.input = convert_output_part, .see = convert_output_see, .tick = convert_output_tick,
	};
	struct source_options how = { .shape = SOURCE_CONTENT, .file_groups = true };
	int status;

	f.from = source_open(&x->arena, o->named, o->named_count, how, &x->err);
	CHECK(f.from && convert_flow_run(&f, &x->err) && pipeline_finish(c, &x->err));
	source_close(f.from);
	status = convert_output_end(o, c, &x->err);
	pipeline_close(c);
	return status;
}

/* Standard error goes to a file until caught() is called. */
static int catch(void)
{
	int saved, fd = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);

	fflush(stderr);
	saved = dup(STDERR_FILENO);
	CHECK(saved >= 0 && fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	close(fd);
	return saved;
}

static void caught(struct fixture *x, int saved)
{
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	x->said = test_read("said");
}

/* The exit status. What is said goes to x->said. */
static int convert(struct fixture *x, const struct str *named, size_t count)
{
	int saved, status;

	x->output.named = named;
	x->output.named_count = count;
	if (!convert_output_init(&x->output, &x->err))
		return EXIT_FAIL;
	if (x->output.path.p && !x->output.is_directory)
		x->output.fd = open(x->output.path.p, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	saved = catch();
	status = convert_sources(x);
	caught(x, saved);
	return status;
}

TEST(one_file_has_everything)
{
	const struct str named[] = { STR("a.jsonl"), STR("b.jsonl") };
	struct fixture x;

	begin(&x, &loud, "conversation", "out.jsonl");
	scratch_write("a.jsonl", STR(CHAT));
	scratch_write("b.jsonl", STR(CHAT));
	CHECK_INT(convert(&x, named, 2), EXIT_YES);
	CHECK_STR(test_read("out.jsonl"), STR(CHAT CHAT));
	CHECK(str_starts(x.said, STR("wrote out.jsonl (2 runs, 2 model steps, 0 tool calls, 134 bytes)\n")));
	CHECK(str_find(x.said, STR("where one ends and the next begins (1)")) != (size_t)-1);
	end(&x);
}

TEST(in_a_directory_each_run_has_a_file_of_another_name)
{
	const struct str named[] = { STR("a.jsonl"), STR("d/a.jsonl"), STR("a-2.json"), STR("e/a.jsonl") };
	static const char *const files[] = { "a", "a-2", "a-2-2", "a-3" };
	struct fixture x;

	begin(&x, &loud, "conversation", "out/");
	x.output.flat = true;
	CHECK(mkdir("d", 0755) == 0 && mkdir("e", 0755) == 0);
	for (size_t i = 0; i < 4; i++)
		scratch_write(named[i].p, STR(CHAT));
	CHECK_INT(convert(&x, named, 4), EXIT_YES);
	CHECK_STR(x.said, STR("wrote out/ (4 files, 4 runs, 4 model steps, 0 tool calls, 268 bytes)\n"));
	for (size_t i = 0; i < 4; i++) {
		char path[40];

		test_case("%s", files[i]);
		snprintf(path, sizeof(path), "out/%s.conversation.jsonl", files[i]);
		CHECK_STR(test_read(path), STR(CHAT));
	}
	end(&x);
}

TEST(a_directory_that_is_there_is_used_and_one_made_for_nothing_goes_again)
{
	struct fixture x;

	begin(&x, &loud, "conversation", "there");
	CHECK(mkdir("there", 0755) == 0);
	scratch_write("a.jsonl.gz", STR(CHAT)); /* labels lie */
	CHECK_INT(convert(&x, &STR("a.jsonl.gz"), 1), EXIT_YES);
	CHECK_STR(test_read("there/a.jsonl.gz.conversation.jsonl"), STR(CHAT));
	end(&x);

	begin(&x, &quiet, "conversation", "new/");
	scratch_write("a.json", STR("{\"nothing\":1}"));
	CHECK_INT(convert(&x, &STR("a.json"), 1), EXIT_CANNOT);
	CHECK(access("new", F_OK) == 0);
	convert_output_free(&x.output);
	CHECK(access("new", F_OK) != 0);
	x.output = (struct convert_output){ .fd = -1 };
	arena_free(&x.arena);
	scratch_leave(&x.dir);
}

TEST(places_where_nothing_may_go_are_refused)
{
	static const struct {
		const char *path, *json, *input, *message;
		enum err_kind kind;
	} cases[] = {
		{ "a.jsonl", NULL, "./a.jsonl", "-o names an input: a.jsonl", ERR_USAGE },
		{ "link", NULL, "a.jsonl", "-o names an input: link", ERR_USAGE },
		{ ".", NULL, ".", "-o names an input: .", ERR_USAGE },
		{ "out", "a.jsonl", "a.jsonl", "--coverage-json names an input: a.jsonl", ERR_USAGE },
		{ "-", "-", "a.jsonl", "the converted log and the coverage would both go", ERR_USAGE },
		{ "a.jsonl/", NULL, "b.jsonl", "a.jsonl/ is not a directory", ERR_USAGE },
		{ "no/such/", NULL, "a.jsonl", "cannot make the directory no/such/: No such file", ERR_IO },
	};
	struct fixture x;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str input = str_from(cases[i].input);

		test_case("%s", cases[i].message);
		begin(&x, &loud, "otutl", cases[i].path);
		scratch_write("a.jsonl", STR(CHAT));
		scratch_write("b.jsonl", STR(CHAT));
		CHECK(symlink("a.jsonl", "link") == 0);
		if (cases[i].json)
			x.output.coverage_json = str_from(cases[i].json);
		CHECK_INT(convert(&x, &input, 1), EXIT_FAIL);
		CHECK_INT(x.err.kind, cases[i].kind);
		CHECK(str_starts(str_from(x.err.text), str_from(cases[i].message)));
		CHECK(str_find(str_from(x.err.text), STR(ERR_HELP)) != (size_t)-1);
		CHECK_STR(test_read("a.jsonl"), STR(CHAT));
		end(&x);
	}
}

TEST(standard_input_cannot_be_named_twice)
{
	const struct str named[] = { STR("-"), STR("-") };
	struct fixture x;

	begin(&x, &loud, "otutl", NULL);
	CHECK_INT(convert(&x, named, 2), EXIT_FAIL);
	CHECK_INT(x.err.kind, ERR_USAGE);
	end(&x);
}

TEST(a_named_file_without_a_run_is_an_error_and_one_of_a_directory_is_skipped)
{
	const struct str named[] = { STR("d"), STR("empty.jsonl"), STR("value.json") };
	struct fixture x;

	begin(&x, &loud, "conversation", "out");
	CHECK(mkdir("d", 0755) == 0);
	scratch_write("d/a.jsonl", STR(CHAT));
	scratch_write("d/value.json", STR("{\"nothing\":1}"));
	scratch_write("d/empty.json", STR(""));
	scratch_write("value.json", STR("{\"nothing\":1}"));
	scratch_write("empty.jsonl", STR(" \n"));
	CHECK_INT(convert(&x, named, 3), EXIT_CANNOT);
	CHECK_STR(x.said,
		  STR("error: empty.jsonl is empty: it holds no run\n"
		      "error: value.json: the format is unknown\n"
		      "   = help: 'trackway formats' lists what can be read; --from FORMAT sets the format\n"
		      "wrote out (1 run, 1 model step, 0 tool calls, 67 bytes)\n"
		      "skipped 2 files that hold no run in a known format (-v names them)\n"));
	CHECK_STR(test_read("out"), STR(CHAT));
	end(&x);
}

TEST(nothing_but_skipped_files_is_an_error_also_when_quiet)
{
	struct fixture x;

	begin(&x, &quiet, "conversation", "out/");
	CHECK(mkdir("d", 0755) == 0);
	scratch_write("d/value.json", STR("{\"nothing\":1}"));
	CHECK_INT(convert(&x, &STR("d"), 1), EXIT_CANNOT);
	CHECK(str_starts(x.said, STR("error: nothing to convert: no file holds a run in a known format (1 skipped)\n")));
	end(&x);
}

TEST(verbose_names_what_was_read_and_skipped_and_quiet_says_nothing)
{
	struct fixture x;

	begin(&x, &verbose, "conversation", "out");
	CHECK(mkdir("d", 0755) == 0);
	scratch_write("d/\033a.jsonl", STR(CHAT));
	scratch_write("d/b.json", STR("{\"nothing\":1}"));
	CHECK_INT(convert(&x, &STR("d"), 1), EXIT_YES);
	CHECK_STR(x.said, STR("read d/\\x1ba.jsonl as conversation (1 run, 1 model step, 0 tool calls)\n"
			      "skipped d/b.json\n"
			      "wrote out (1 run, 1 model step, 0 tool calls, 67 bytes)\n"
			      "skipped 1 file that holds no run in a known format\n"));
	end(&x);

	begin(&x, &quiet, "conversation", "out");
	CHECK(mkdir("d", 0755) == 0);
	scratch_write("d/a.jsonl", STR(CHAT));
	scratch_write("d/b.json", STR("{\"nothing\":1}"));
	CHECK_INT(convert(&x, &STR("d"), 1), EXIT_YES);
	CHECK_INT(x.said.n, 0);
	end(&x);
}

TEST(the_table_is_shown_and_written)
{
	struct fixture x;

	begin(&x, &quiet, "conversation", "out");
	scratch_write("a.jsonl", STR(CHAT));
	x.output.coverage = true;
	x.output.coverage_json = STR("cover.json");
	CHECK_INT(convert(&x, &STR("a.jsonl"), 1), EXIT_YES);
	CHECK(str_starts(x.said, STR("coverage of conversation in conversation: 100.0 % of all values\n")));
	CHECK(str_starts(test_read("cover.json"), STR("{\"schema\":\"trackway.coverage/1\",\"from\":\"conversation\",")));
	end(&x);
}

TEST(a_file_or_directory_that_is_missing_is_told_with_a_remedy)
{
	struct err input = { .kind = ERR_NONE }, output = { .kind = ERR_NONE }, other = { .kind = ERR_NONE };
	struct fixture x;
	int saved;

	begin(&x, &loud, "otutl", NULL);
	err_system(&input, ENOENT, "gone: cannot open");
	err_system(&output, ENOENT, "cannot write no/such");
	err_system(&other, ENOSPC, "cannot write such");
	CHECK(!logs_explain_output(&output) && str_ends(str_from(output.text), STR("with mkdir -p")));
	CHECK(!logs_explain_output(&other) && str_ends(str_from(other.text), STR("No space left on device")));
	CHECK(convert_output_init(&x.output, &x.err));
	saved = catch();
	logs_missing(&x.output.logs, &input);
	caught(&x, saved);
	CHECK_INT(x.output.logs.failed, 1);
	CHECK_STR(x.said, STR("error: gone: cannot open: No such file or directory\n"
			      "   = help: check the name; paths start in the current directory\n"));
	end(&x);
}
