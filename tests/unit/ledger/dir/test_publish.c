#include "unit/ledger/log_dir_kit.h"

#include "json/json.h"

#define VECTOR "ledger/ledger/"

static struct str shared(const char *name)
{
	char *path = test_alloc(strlen(name) + sizeof(VECTOR));

	memcpy(path, VECTOR, sizeof(VECTOR) - 1);
	memcpy(path + sizeof(VECTOR) - 1, name, strlen(name));
	return test_read(test_shared(path));
}

/* ---- the ledger of 300 entries that others can verify ---- */

struct vector {
	struct log_item items[300];
	size_t count;
	struct json_parser *parser;
};

static void add_bundle(struct kit *k, struct vector *v, struct str bundle)
{
	struct str entry, why;
	bool broken;

	while (bundle_next(&bundle, &entry, &broken)) {
		struct entry e;

		CHECK(v->count < 300);
		if (!entry_parse(v->parser, &k->arena, entry, &e, &why))
			FAIL("entry %zu: %.*s", v->count, STR_ARG(why));
		v->items[v->count++] = (struct log_item){ .ident = entry_ident(&k->arena, &e), .digest = entry_digest(&e),
							  .entry = entry };
	}
	CHECK(!broken);
}

static void compare(struct kit *k, const char *dir, unsigned *files)
{
	DIR *list = opendir(test_shared(arena_printf(&k->arena, VECTOR "static/%s", dir).p));
	struct dirent *e;

	CHECK(list != NULL);
	while ((e = readdir(list))) {
		struct str name = arena_printf(&k->arena, "%s/%s", dir, e->d_name);
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		CHECK(stat(test_shared(arena_printf(&k->arena, VECTOR "static/%s", name.p).p), &st) == 0);
		if (S_ISDIR(st.st_mode)) {
			compare(k, name.p, files); /* as deep as the tree of a known vector */
			continue;
		}
		test_case("%s", name.p);
		CHECK_STR(kit_read(k, name.p), shared(arena_printf(&k->arena, "static/%s", name.p).p));
		++*files;
	}
	closedir(list);
}

static unsigned count_files(struct kit *k, const char *dir)
{
	unsigned n = 0;
	struct dirent *e;
	DIR *list = opendir(dir);

	CHECK(list != NULL);
	while ((e = readdir(list))) {
		struct str path = arena_printf(&k->arena, "%s/%s", dir, e->d_name);
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		CHECK(stat(path.p, &st) == 0);
		n += S_ISDIR(st.st_mode) ? count_files(k, path.p) : 1;
	}
	closedir(list);
	return n;
}

/* The log's own part of a checkpoint: witnesses' lines come later. */
static struct str without_witness(struct str note)
{
	struct str rest = note;

	for (int line = 0; line < 5; line++)
		str_cut(rest, '\n', &rest);
	return str_of(note.p, note.n - rest.n);
}

TEST(the_ledger_of_300_entries_comes_out_byte_for_byte)
{
	static const unsigned sizes[] = { 0, 1, 2, 3, 4, 7, 8, 9, 100, 255, 256, 257, 299, 300 };
	struct str skey = shared("skey.TEST-ONLY");
	struct vector *v = test_alloc(sizeof(*v));
	struct err err = { .kind = ERR_NONE };
	unsigned files = 0;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	v->parser = json_parser_open((struct json_options){ .max_depth = 32 });
	add_bundle(&k, v, shared("static/tile/entries/000"));
	add_bundle(&k, v, shared("static/tile/entries/001.p/44"));
	CHECK_INT(v->count, 300);
	kit_must(signer_parse(skey, &k.signer, &err), &err);
	k.options.keep_partials = true;
	kit_must(log_dir_make(&k.options, k.signer.key.name, &err), &err);
	l = kit_open(&k);
	for (size_t i = 0, at = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char name[40];

		kit_must(log_append(l, v->items + at, sizes[i] - at, &err), &err);
		for (; at < sizes[i]; at++)
			CHECK_INT(v->items[at].outcome, LOG_ADDED);
		kit_publish(l);
		snprintf(name, sizeof(name), "checkpoints/%u", sizes[i]);
		test_case("%s", name);
		CHECK_STR(kit_read(&k, "checkpoint"), without_witness(shared(name)));
		CHECK_STR(kit_read(&k, name), without_witness(shared(name)));
	}
	log_close(l);
	compare(&k, "tile", &files);
	CHECK_INT(files, 27);
	CHECK_INT(count_files(&k, kit_path(&k, "tile")), 27);
	json_parser_close(v->parser);
	kit_end(&k);
}

/* ---- tiles ---- */

TEST(how_it_was_published_does_not_show_in_what_is_published)
{
	static const unsigned steps[][5] = { { 600, 0 }, { 1, 599, 0 }, { 256, 344, 0 }, { 255, 2, 343, 0 }, { 300, 212, 88, 0 } };
	struct str want = { NULL, 0 }, tile = { NULL, 0 };
	struct kit first;

	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		struct log *l;
		struct kit k;

		kit_begin(&k);
		l = kit_make(&k);
		for (unsigned i = 0, at = 0; steps[s][i]; at += steps[s][i++]) {
			kit_append(&k, l, at, steps[s][i]);
			kit_publish(l);
		}
		log_close(l);
		kit_check_published(&k, 600);
		if (!want.p) {
			want = kit_read(&k, "checkpoint");
			tile = kit_read(&k, "tile/1/000.p/2");
		}
		test_case("way %zu", s);
		CHECK_STR(kit_read(&k, "checkpoint"), want);
		CHECK_STR(kit_read(&k, "tile/1/000.p/2"), tile);
		if (s > 0)
			kit_end(&k);
		else
			first = k; /* has the bytes that the others are held against */
	}
	kit_end(&first);
}

TEST(a_log_beyond_the_second_level_is_whole)
{
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 40000);
	kit_append(&k, l, 40000, 25535);
	kit_publish(l);
	CHECK(!kit_exists(&k, "tile/2"));
	kit_append(&k, l, 65535, 2);
	kit_publish(l);
	CHECK(kit_exists(&k, "tile/1/000"));
	CHECK(!kit_exists(&k, "tile/1/000.p"));
	CHECK_INT(kit_read(&k, "tile/2/000.p/1").n, 32);
	CHECK(kit_exists(&k, "tile/0/256.p/1"));
	log_close(l);
	kit_check_published(&k, 65537);
	l = kit_open(&k); /* the edge is read back from three levels */
	kit_append(&k, l, 65537, 1);
	kit_publish(l);
	log_close(l);
	kit_check_published(&k, 65538);
	kit_end(&k);
}

TEST(full_tiles_cannot_be_written_to_and_partial_ones_go)
{
	struct stat st;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 200);
	kit_publish(l);
	CHECK(kit_exists(&k, "tile/0/000.p/200"));
	kit_append(&k, l, 200, 56);
	kit_publish(l);
	CHECK(!kit_exists(&k, "tile/0/000.p"));
	CHECK(!kit_exists(&k, "tile/entries/000.p"));
	CHECK(stat(kit_path(&k, "tile/0/000"), &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0444);
	CHECK(stat(kit_path(&k, "tile/entries/000"), &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0444);
	log_close(l);
	kit_end(&k);
}

TEST(a_file_that_has_the_name_and_other_bytes_is_never_replaced)
{
	struct err err = { .kind = ERR_NONE };
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 2);
	kit_publish(l);
	kit_append(&k, l, 2, 1);
	kit_write(&k, "tile/0/000.p/3", STR("something else"));
	CHECK(!log_publish(l, &err));
	CHECK(strstr(err.text, "tile/0/000.p/3 is there already, with other bytes"));
	CHECK_STR(kit_read(&k, "tile/0/000.p/3"), STR("something else"));
	kit_check_published(&k, 2);
	unlink(kit_path(&k, "tile/0/000.p/3"));
	kit_publish(l); /* and nothing is lost */
	kit_check_published(&k, 3);
	log_close(l);
	kit_end(&k);
}

TEST(too_much_that_waits_is_published_by_itself)
{
	struct log_dir_state state;
	struct err err = { .kind = ERR_NONE };
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 65536);
	kit_must(log_dir_state(l, &state, &err), &err);
	CHECK_INT(state.published, 0);
	kit_append(&k, l, 65536, 1);
	kit_must(log_dir_state(l, &state, &err), &err);
	CHECK(state.published >= 65536 / 2);
	CHECK_INT(state.committed, 65537);
	log_close(l);
	kit_end(&k);
}

TEST(the_wal_is_replaced_when_it_has_grown)
{
	struct err err = { .kind = ERR_NONE };
	struct log_dir_state state;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	k.options.wal_limit = 2000;
	l = kit_make(&k);
	kit_append(&k, l, 0, 2);
	kit_publish(l);
	kit_must(log_dir_state(l, &state, &err), &err);
	CHECK(state.wal_bytes > 0 && state.wal_torn == 0);
	kit_append(&k, l, 2, 20);
	kit_must(log_dir_state(l, &state, &err), &err);
	CHECK(state.published == 2 && state.committed == 22 && state.wal_bytes > 2000);
	kit_publish(l);
	kit_must(log_dir_state(l, &state, &err), &err);
	CHECK(state.published == 22 && state.committed == 22 && state.wal_bytes == 0);
	CHECK_INT(kit_read(&k, ".state/wal").n, 0);
	CHECK(state.has_head && state.head_size == 22);
	kit_append(&k, l, 22, 1);
	log_close(l);
	l = kit_open(&k);
	kit_check_numbers(&k, l, 23);
	log_close(l);
	kit_end(&k);
}
