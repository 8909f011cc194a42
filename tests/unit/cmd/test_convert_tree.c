/* What convert asks of a mirror and says about it; whole command lines are tested in tests/cli/convert. */
#include "cmd/convert_tree.h"

#include "harness/test.h"
#include "unit/source/scratch.h"

struct fixture {
	struct scratch dir;
	struct arena arena;
	struct frame frame;
	struct logs logs;
	struct convert_tree tree;
	struct err err;
};

static void begin(struct fixture *x)
{
	struct mirror_options o = {
		.dir = STR("out"), .format = STR("otutl"), .suffix = STR(".otutl.jsonl"), .maker = STR("m"), .update = true,
	};

	*x = (struct fixture){ .dir = scratch_enter(), .frame = { .quiet = true } };
	arena_init(&x->arena);
	CHECK(mkdir("out", 0755) == 0);
	CHECK(logs_init(&x->logs, &x->arena, &x->frame, "convert", NULL, 0, &x->err));
	CHECK(convert_tree_open(&x->tree, &x->arena, &x->logs, o, &x->err));
}

static void end(struct fixture *x)
{
	convert_tree_close(&x->tree);
	arena_free(&x->arena);
	scratch_leave(&x->dir);
}

/* One run of a source, which is over then. */
static bool convert(struct fixture *x, struct str name)
{
	struct convert_input part = { .name = name };

	return mirror_begin_run(x->tree.mirror, name, &x->err) && mirror_end_run(x->tree.mirror, &x->err) &&
	       convert_tree_end_source(&x->tree, &part, &x->err);
}

TEST(a_source_is_wanted_once_and_standard_input_has_a_name)
{
	struct source_group file = { .name = STR("in/a"), .below = STR("a"), .stamp = 1, .is_known = true };
	struct source_group in = { .name = STR("-"), .below = STR("-") };
	struct fixture x;

	begin(&x);
	CHECK(convert_tree_want(&x.tree, &file) && !convert_tree_want(&x.tree, &file));
	CHECK(convert_tree_want(&x.tree, &in));
	CHECK(convert(&x, file.name) && convert(&x, in.name));
	CHECK(convert_tree_finish(&x.tree, true, &x.err));
	convert_tree_say_rest(&x.tree);
	CHECK(access("out/a.otutl.jsonl", F_OK) == 0 && access("out/stdin.otutl.jsonl", F_OK) == 0);
	CHECK_INT(x.logs.failed, 0);
	end(&x);
}

TEST(what_stands_in_the_way_of_one_output_does_not_end_the_job)
{
	struct source_group one = { .name = STR("in/d/a"), .below = STR("d/a") };
	struct source_group other = { .name = STR("in/b"), .below = STR("b") };
	struct fixture x;
	int saved = dup(STDERR_FILENO);

	begin(&x);
	scratch_write("out/d", STR("x"));
	CHECK(convert_tree_want(&x.tree, &one) && convert_tree_want(&x.tree, &other));
	CHECK(freopen("said", "w", stderr));
	CHECK(convert(&x, one.name));
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	CHECK_STR(test_read("said"), STR("error: in/d/a: cannot make the directory out/d: Not a directory\n   = help: something "
					 "else has this name: move it away, or name another directory\n"));
	CHECK_INT(x.logs.failed, 1);
	CHECK(convert(&x, other.name));
	CHECK_INT(mirror_sums(x.tree.mirror)->files, 1);
	end(&x);
}
