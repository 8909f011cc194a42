#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"
#include "ledger/ids.h"

#define TABLE "ids.idx"

static struct arena arena;

static struct str number(uint64_t n)
{
	return arena_printf(&arena, "trial\n%llu", (unsigned long long)n);
}

static void begin(void)
{
	arena_init(&arena);
	CHECK(chdir(test_dir()) == 0);
}

static void end(void)
{
	char path[4096];

	unlink(TABLE);
	CHECK(getcwd(path, sizeof(path)) != NULL);
	CHECK(chdir("/") == 0);
	CHECK(rmdir(path) == 0);
	arena_free(&arena);
}

static void add(struct ids *t, uint64_t to)
{
	while (ids_count(t) < to)
		ids_add(t, number(ids_count(t)), ids_count(t));
}

static struct digest root_of(uint8_t first)
{
	return (struct digest){ .b = { first } };
}

static void save(struct ids *t, uint8_t root)
{
	struct err err = { .kind = ERR_NONE };

	if (!ids_save(t, root_of(root), &err))
		FAIL("%s", err.text);
}

/* How many candidates there are; *last gets the last. */
static unsigned count_of(struct ids *t, struct str ident, uint64_t *last)
{
	uint64_t state = 0;
	unsigned n = 0;

	while (ids_next(t, ident, &state, last))
		n++;
	return n;
}

static void check_all(struct ids *t, uint64_t count)
{
	uint64_t index;

	CHECK_INT(ids_count(t), count);
	for (uint64_t i = 0; i < count; i++) {
		CHECK_INT(count_of(t, number(i), &index), 1);
		CHECK_INT(index, i);
	}
	CHECK_INT(count_of(t, number(count), &index), 0);
	CHECK(ids_is_sound(t));
}

TEST(what_was_added_is_found_in_memory_and_in_the_table)
{
	static const uint64_t sizes[] = { 0, 1, 35, 36, 37, 5000 };
	struct digest root;
	struct ids *t;

	begin();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		test_case("%d entries", (int)sizes[i]);
		unlink(TABLE);
		t = ids_open(&io_system, TABLE);
		CHECK_INT(ids_covered(t, &root), 0);
		add(t, sizes[i]);
		check_all(t, sizes[i]);
		save(t, 9);
		check_all(t, sizes[i]);
		ids_close(t);
		t = ids_open(&io_system, TABLE);
		CHECK_INT(ids_covered(t, &root), sizes[i]);
		CHECK_INT(root.b[0], 9);
		add(t, sizes[i] + 300);
		check_all(t, sizes[i] + 300);
		save(t, 10);
		check_all(t, sizes[i] + 300);
		ids_close(t);
	}
	end();
}

TEST(an_ident_twice_gives_both_places_newest_first)
{
	uint64_t state = 0, index;
	struct ids *t;

	begin();
	t = ids_open(&io_system, TABLE);
	ids_add(t, STR("a"), 0);
	ids_add(t, STR("b"), 1);
	save(t, 1);
	ids_add(t, STR("a"), 2);
	ids_add(t, STR("a"), 3);
	CHECK(ids_next(t, STR("a"), &state, &index));
	CHECK_INT(index, 3);
	CHECK(ids_next(t, STR("a"), &state, &index));
	CHECK_INT(index, 2);
	CHECK(ids_next(t, STR("a"), &state, &index));
	CHECK_INT(index, 0);
	CHECK(!ids_next(t, STR("a"), &state, &index));
	ids_close(t);
	end();
}

TEST(an_entry_without_ident_takes_its_place_and_is_never_found)
{
	uint64_t index;
	struct ids *t;

	begin();
	t = ids_open(&io_system, TABLE);
	ids_add(t, (struct str){ NULL, 0 }, 0);
	ids_add(t, STR("b"), 1);
	save(t, 1);
	CHECK_INT(ids_count(t), 2);
	CHECK_INT(count_of(t, STR(""), &index), 0);
	CHECK_INT(count_of(t, STR("b"), &index), 1);
	CHECK_INT(index, 1);
	ids_close(t);
	end();
}

TEST(an_entry_out_of_turn_is_not_taken)
{
	uint64_t index;
	struct ids *t;

	begin();
	t = ids_open(&io_system, TABLE);
	ids_add(t, STR("a"), 1);
	CHECK_INT(ids_count(t), 0);
	CHECK_INT(count_of(t, STR("a"), &index), 0);
	ids_close(t);
	end();
}

TEST(a_table_is_due_after_many_entries_and_after_fewer_when_closing)
{
	struct ids *t;

	begin();
	t = ids_open(&io_system, TABLE);
	add(t, 1024);
	CHECK(!ids_is_due(t, true));
	add(t, 1025);
	CHECK(ids_is_due(t, true));
	CHECK(!ids_is_due(t, false));
	add(t, 16385);
	CHECK(ids_is_due(t, false));
	save(t, 1);
	CHECK(!ids_is_due(t, true));
	ids_close(t);
	end();
}

/* Either the head does not hold, and it covers nothing; or every question that meets the change says so. */
TEST(a_table_with_any_byte_changed_is_noticed)
{
	struct err err = { .kind = ERR_NONE };
	struct str good;
	struct ids *t;

	begin();
	t = ids_open(&io_system, TABLE);
	add(t, 50);
	save(t, 1);
	ids_close(t);
	CHECK(file_read(&arena, STR(TABLE), 1 << 20, &good, &err));
	for (size_t i = 0; i < good.n; i += 3) {
		struct digest root;
		FILE *f = fopen(TABLE, "r+");
		bool missed = false;
		uint64_t index;

		CHECK(f && fseek(f, (long)i, SEEK_SET) == 0 && fputc(good.p[i] ^ 0x10, f) != EOF && fclose(f) == 0);
		t = ids_open(&io_system, TABLE);
		test_case("byte %zu", i);
		if (ids_covered(t, &root)) {
			CHECK_INT(ids_count(t), 50);
			for (uint64_t n = 0; n < 50; n++)
				missed |= count_of(t, number(n), &index) != 1 || index != n;
			CHECK(!missed || !ids_is_sound(t));
			CHECK((i >= 64 && i < 1024) || !ids_is_sound(t));
			ids_forget(t);
		}
		CHECK_INT(ids_count(t), 0);
		add(t, 50);
		check_all(t, 50);
		ids_close(t);
		f = fopen(TABLE, "r+");
		CHECK(f && fseek(f, (long)i, SEEK_SET) == 0 && fputc(good.p[i], f) != EOF && fclose(f) == 0);
	}
	end();
}

TEST(garbage_in_the_place_of_a_table_covers_nothing)
{
	const struct str cases[] = { STR(""), STR("LIDX"), STR("LIDX\0\0\0\1") };
	struct digest root;
	struct ids *t;

	begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *f = fopen(TABLE, "w");

		CHECK(f && fwrite(cases[i].p, 1, cases[i].n, f) == cases[i].n && fclose(f) == 0);
		t = ids_open(&io_system, TABLE);
		CHECK_INT(ids_covered(t, &root), 0);
		ids_close(t);
	}
	unlink(TABLE);
	CHECK(mkdir(TABLE, 0700) == 0);
	t = ids_open(&io_system, TABLE);
	CHECK_INT(ids_covered(t, &root), 0);
	ids_close(t);
	CHECK(rmdir(TABLE) == 0);
	end();
}
