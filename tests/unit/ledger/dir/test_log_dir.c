#include "unit/ledger/log_dir_kit.h"

#include "ledger/proof.h"

TEST(a_log_is_made_filled_published_and_opened_again)
{
	struct kit k;
	struct log *l;

	kit_begin(&k);
	l = kit_make(&k);
	CHECK_INT(kit_size(l), 0);
	kit_append(&k, l, 0, 3);
	kit_check_numbers(&k, l, 3);
	kit_check_published(&k, 0);
	kit_publish(l);
	kit_check_published(&k, 3);
	kit_append(&k, l, 3, 700);
	kit_publish(l);
	kit_check_published(&k, 703);
	kit_append(&k, l, 703, 1);
	log_close(l);
	l = kit_open(&k);
	kit_check_numbers(&k, l, 704);
	kit_check_published(&k, 704);
	log_close(l);
	kit_end(&k);
}

TEST(a_reader_beside_a_writer_sees_what_is_published)
{
	struct err err = { .kind = ERR_NONE };
	struct log *w, *r;
	struct log_item item;
	uint64_t index;
	struct kit k;
	struct str text;
	bool found;

	kit_begin(&k);
	w = kit_make(&k);
	kit_append(&k, w, 0, 2);
	k.options.read_only = true;
	r = kit_open(&k);
	CHECK_INT(kit_size(r), 0);
	CHECK(!r->ops->entry(r, &k.arena, 0, &text, &err));
	kit_publish(w);
	CHECK_INT(kit_size(r), 2);
	kit_check_numbers(&k, r, 2);
	kit_must(r->ops->find(r, kit_number(&k, 1).ident, &found, &index, &err), &err);
	CHECK(found && index == 1);
	kit_append(&k, w, 2, 1);
	kit_must(r->ops->find(r, kit_number(&k, 2).ident, &found, &index, &err), &err);
	CHECK(!found);
	kit_publish(w);
	kit_must(r->ops->find(r, kit_number(&k, 2).ident, &found, &index, &err), &err);
	CHECK(found && index == 2);
	item = kit_number(&k, 3);
	CHECK(!log_append(r, &item, 1, &err));
	CHECK(strstr(err.text, "for reading only"));
	CHECK(!log_publish(r, &err));
	CHECK(!r->ops->put_objects(r, &item.entry, 1, &item.digest, &err));
	log_close(r);
	log_close(w);
	kit_end(&k);
}

/* Another process writes and publishes; whatever checkpoint is seen, everything it covers is there and right. */
TEST(a_reader_that_looks_all_the_time_never_sees_half_of_something)
{
	unsigned looks = 0, sizes = 0;
	bool running = true;
	uint64_t last = 0;
	struct log *l;
	struct kit k;
	int status;
	pid_t pid;

	kit_begin(&k);
	log_close(kit_make(&k));
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		l = kit_open(&k);
		for (unsigned i = 0; i < 60; i++) {
			kit_append(&k, l, 10 * i, 10);
			kit_publish(l);
		}
		log_close(l);
		_exit(0);
	}
	k.options.read_only = true;
	while (running) {
		uint64_t size;

		running = waitpid(pid, &status, WNOHANG) == 0;
		l = kit_open(&k);
		size = kit_size(l);
		CHECK(size >= last);
		sizes += size != last;
		last = size;
		log_close(l);
		if (looks++ % 4 == 0) {
			struct err err = { .kind = ERR_NONE };
			struct arena a;
			struct log_hashes *h;
			struct tree_reader r;
			struct checkpoint c;
			struct digest root;

			arena_init(&a);
			l = kit_open(&k);
			kit_must(log_read_checkpoint(l, &a, &c, NULL, &err), &err);
			h = log_hashes_open(l, c.size);
			r = log_hashes_reader(h);
			kit_must(tree_root(&k.sha, &r, c.size, &root, &err), &err);
			CHECK(memcmp(root.b, c.root.b, SHA256_SIZE) == 0);
			log_hashes_close(h);
			log_close(l);
			arena_free(&a);
		}
	}
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(sizes > 1);
	kit_check_published(&k, 600);
	kit_end(&k);
}

TEST(a_key_is_found_in_its_directory_or_beside_the_log)
{
	struct err err = { .kind = ERR_NONE };
	struct signer other;
	uint8_t seed[ED25519_SEED] = { 8 };
	struct log_item item;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	log_close(kit_make(&k));
	k.options.signer = NULL;
	l = kit_open(&k);
	CHECK(!l->signer && !l->key_is_trusted);
	item = kit_number(&k, 0);
	CHECK(!log_append(l, &item, 1, &err));
	CHECK(str_starts(str_from(err.text), STR(LOG_E_NO_KEY)));
	kit_publish(l); /* nothing to do is fine */
	log_close(l);
	kit_must(keys_add(&k.arena, k.keys, &k.signer, &err), &err);
	l = kit_open(&k);
	CHECK(l->signer && l->key_is_trusted);
	CHECK_STR(l->origin, KIT_ORIGIN);
	kit_append(&k, l, 0, 1);
	kit_publish(l);
	log_close(l);
	kit_check_published(&k, 1);
	kit_must(signer_init(&other, KIT_ORIGIN, KEY_LOG, seed, &err), &err);
	k.options.key = &other.key;
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(strstr(err.text, "not signed by the key of this log"));
	k.options.signer = &k.signer;
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(strstr(err.text, "the private key given is not that of"));
	kit_end(&k);
}

TEST(what_is_no_log_or_of_another_version_is_refused)
{
	struct err err = { .kind = ERR_NONE };
	struct kit k;

	kit_begin(&k);
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(strstr(err.text, "is not a ledger"));
	CHECK(!log_dir_is_one(NULL, k.dir));
	log_close(kit_make(&k));
	CHECK(log_dir_is_one(NULL, k.dir));
	kit_write(&k, ".state/version", STR("2\n"));
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(strstr(err.text, "another version"));
	unlink(kit_path(&k, ".state/version"));
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(strstr(err.text, "published copy"));
	k.options.read_only = true;
	log_close(kit_open(&k));
	unlink(kit_path(&k, "vkey"));
	k.options.signer = NULL;
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(strstr(err.text, "there is no vkey"));
	kit_write(&k, "checkpoint", STR("garbage\n"));
	k.options.signer = &k.signer;
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(strstr(err.text, "the checkpoint cannot be trusted"));
	unlink(kit_path(&k, "checkpoint"));
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(strstr(err.text, "has no checkpoint"));
	kit_end(&k);
}

static const char *is_nfs(void *own, const char *path)
{
	(void)own;
	(void)path;
	return "NFS";
}

TEST(a_network_file_system_is_refused_unless_it_is_wanted)
{
	struct err err = { .kind = ERR_NONE };
	struct io_ops ops = *io_system.ops;
	struct io io = { .ops = &ops };
	struct kit k;

	kit_begin(&k);
	ops.network = is_nfs;
	k.options.io = &io;
	CHECK(!log_dir_make(&k.options, KIT_ORIGIN, &err));
	CHECK(strstr(err.text, "is on NFS") && strstr(err.text, "PostgreSQL"));
	CHECK(!log_dir_is_one(NULL, k.dir));
	k.options.on_network = true;
	kit_must(log_dir_make(&k.options, KIT_ORIGIN, &err), &err);
	k.options.on_network = false;
	CHECK(!log_dir_open(&k.options, &err));
	k.options.read_only = true;
	log_close(kit_open(&k));
	k.options.read_only = false;
	k.options.on_network = true;
	log_close(kit_open(&k));
	kit_end(&k);
}

TEST(a_witness_line_is_added_replaced_and_gone_with_the_text)
{
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED] = { 9 };
	struct signer witness;
	struct checkpoint c;
	struct note *note;
	struct buf line;
	struct log *l;
	struct str text;
	struct kit k;

	kit_begin(&k);
	kit_must(signer_init(&witness, STR("witness.example/w"), KEY_WITNESS, seed, &err), &err);
	l = kit_make(&k);
	kit_append(&k, l, 0, 1);
	kit_publish(l);
	kit_must(log_read_checkpoint(l, &k.arena, &c, &note, &err), &err);
	text = note->text;
	buf_init(&line);
	for (uint64_t time = 100; time < 102; time++) {
		uint64_t said;

		buf_clear(&line);
		kit_must(cosignature_add_line(&line, text, &witness, time, &err), &err);
		kit_must(l->ops->cosign(l, text, buf_str(&line), &err), &err);
		kit_must(log_read_checkpoint(l, &k.arena, &c, &note, &err), &err);
		CHECK_INT(note->count, 2);
		CHECK_INT(note_check(note, &witness.key, &said), NOTE_GOOD);
		CHECK_INT(said, time);
		CHECK_STR(kit_read(&k, "checkpoints/1"), kit_read(&k, "checkpoint"));
	}
	kit_publish(l); /* nothing new: it stays */
	kit_must(log_read_checkpoint(l, &k.arena, &c, &note, &err), &err);
	CHECK_INT(note->count, 2);
	CHECK(!l->ops->cosign(l, text, STR("not a line\n"), &err));
	CHECK(strstr(err.text, "not signatures"));
	kit_append(&k, l, 1, 1);
	kit_publish(l);
	kit_must(log_read_checkpoint(l, &k.arena, &c, &note, &err), &err);
	CHECK_INT(note->count, 1);
	CHECK(!l->ops->cosign(l, text, buf_str(&line), &err));
	CHECK(strstr(err.text, "another checkpoint by now"));
	CHECK(kit_read(&k, "checkpoints/1").n > kit_read(&k, "checkpoints/2").n);
	log_close(l);
	buf_free(&line);
	kit_end(&k);
}

TEST(a_partial_tile_that_is_gone_is_cut_out_of_a_wider_one)
{
	struct tile t = { .level = 0, .n = 0, .width = 10 }, e = { .level = TILE_ENTRIES, .n = 0, .width = 10 };
	struct err err = { .kind = ERR_NONE };
	struct str bytes, want, entries;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 10);
	kit_publish(l);
	want = kit_read(&k, "tile/0/000.p/10");
	entries = kit_read(&k, "tile/entries/000.p/10");
	kit_append(&k, l, 10, 10);
	kit_publish(l);
	unlink(kit_path(&k, "tile/0/000.p/10"));
	unlink(kit_path(&k, "tile/entries/000.p/10"));
	kit_must(l->ops->tile(l, &k.arena, &t, &bytes, &err), &err);
	CHECK_STR(bytes, want);
	kit_must(l->ops->tile(l, &k.arena, &e, &bytes, &err), &err);
	CHECK_STR(bytes, entries);
	kit_append(&k, l, 20, 300);
	kit_publish(l);
	CHECK(!kit_exists(&k, "tile/0/000.p"));
	CHECK(!kit_exists(&k, "tile/entries/000.p"));
	kit_must(l->ops->tile(l, &k.arena, &t, &bytes, &err), &err);
	CHECK_STR(bytes, want);
	kit_must(l->ops->tile(l, &k.arena, &e, &bytes, &err), &err);
	CHECK_STR(bytes, entries);
	t.n = 9;
	CHECK(!l->ops->tile(l, &k.arena, &t, &bytes, &err));
	CHECK(strstr(err.text, "tile/0/009.p/10 is missing"));
	log_close(l);
	kit_end(&k);
}

TEST(a_tile_of_the_wrong_size_is_named)
{
	struct tile t = { .level = 0, .n = 0, .width = 3 }, e = { .level = TILE_ENTRIES, .n = 0, .width = 3 };
	struct err err = { .kind = ERR_NONE };
	struct str bytes;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 3);
	kit_publish(l);
	kit_write(&k, "tile/0/000.p/3", STR("short"));
	CHECK(!l->ops->tile(l, &k.arena, &t, &bytes, &err));
	CHECK(strstr(err.text, "tile/0/000.p/3 is damaged"));
	bytes = kit_read(&k, "tile/entries/000.p/3");
	kit_write(&k, "tile/entries/000.p/3", ARENA_JOIN(&k.arena, bytes, STR("x")));
	CHECK(!l->ops->tile(l, &k.arena, &e, &bytes, &err));
	CHECK(strstr(err.text, "tile/entries/000.p/3 is damaged"));
	log_close(l);
	kit_end(&k);
}
