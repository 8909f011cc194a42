/*
 * Texts are parsed strictly and the id is always worked out anew. Key files are written under a temporary name and
 * linked, so that none is ever replaced; every buffer that held a seed is wiped.
 */
#include "ledger/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto/base64.h"
#include "base/crypto/hex.h"
#include "base/crypto/sha256.h"
#include "base/file.h"
#include "base/seed.h"
#include "base/utf8.h"

#define PRIVATE STR("PRIVATE+KEY+")
#define PRIVATE_HELP ERR_HELP "it is the one line that 'trackway ledger init' wrote, or a copy of it"
#define BODY (1 + ED25519_PUBLIC) /* a kind and a key: seeds are as long as public ones */
#define TEXT_MAX 1024             /* of a private key, with room for a longer name than we take */
#define TRIES 8                   /* ids that are taken, one after the other: a broken source of random bytes */

_Static_assert(ED25519_SEED == ED25519_PUBLIC, "both kinds of text have the same length");

/* ---- texts ---- */

/* Unicode's White_Space; the tables of the language are not asked, since they know the locale. */
static bool is_space(uint32_t c)
{
	static const uint32_t single[] = { ' ', 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000 };

	for (size_t i = 0; i < COUNT(single); i++)
		if (c == single[i])
			return true;
	return (c >= '\t' && c <= '\r') || (c >= 0x2000 && c <= 0x200a);
}

bool key_is_foreign_name(struct str name)
{
	uint32_t c;

	for (size_t at = 0, n; at < name.n; at += n) {
		n = utf8_decode(name.p + at, name.n - at, &c);
		if (n == 0 || c < ' ' || c == '+' || is_space(c))
			return false;
	}
	return name.n > 0;
}

bool key_is_name(struct str name)
{
	if (name.n > KEY_NAME_MAX || !key_is_foreign_name(name))
		return false;
	for (size_t i = 0; i < name.n; i++) {
		uint8_t c = (uint8_t)name.p[i];

		/* DEL, and C1 with its two bytes: what a terminal would obey */
		if (c == 0x7f || (c == 0xc2 && (uint8_t)name.p[i + 1] < 0xa0))
			return false;
	}
	return true;
}

/* SHA-256 over name, line feed, kind and public key, cut to KEY_ID bytes, as c2sp.org/signed-note has it. */
static void set_id(struct key *k)
{
	struct sha256 s;
	struct digest d;

	sha256_init(&s);
	sha256_add(&s, k->name);
	sha256_add(&s, STR("\n"));
	sha256_add(&s, str_of(&k->kind, 1));
	sha256_add(&s, str_of(k->public, ED25519_PUBLIC));
	d = sha256_end(&s);
	sha256_free(&s);
	memcpy(k->id, d.b, KEY_ID);
}

/* name+id+base64: the three parts, the last one decoded. */
static bool parse_parts(struct str text, struct key *out, uint8_t body[BODY])
{
	struct str rest, id;

	out->name = str_cut(text, '+', &rest);
	id = str_cut(rest, '+', &rest);
	if (!key_is_name(out->name) || !hex_parse(id, out->id, KEY_ID) || !base64_parse_bytes(body, BODY, rest))
		return false;
	out->kind = body[0];
	return out->kind == KEY_LOG || out->kind == KEY_WITNESS;
}

/* The key is the public one or the seed: so the copy of it is wiped. */
static void key_put_text(struct buf *out, const struct key *k, const uint8_t key[ED25519_PUBLIC])
{
	uint8_t body[BODY] = { k->kind };
	char id[2 * KEY_ID];

	memcpy(body + 1, key, ED25519_PUBLIC);
	hex_format(id, k->id, KEY_ID);
	buf_add_str(out, k->name);
	buf_add_byte(out, '+');
	buf_add(out, id, sizeof(id));
	buf_add_byte(out, '+');
	base64_add(out, str_of(body, sizeof(body)));
	explicit_bzero(body, sizeof(body));
}

bool key_parse(struct str vkey, struct key *out)
{
	uint8_t body[BODY];
	struct key said, k;

	if (!parse_parts(str_trim(vkey), &said, body))
		return false;
	k = said;
	memcpy(k.public, body + 1, ED25519_PUBLIC);
	set_id(&k);
	if (memcmp(k.id, said.id, KEY_ID) != 0)
		return false;
	*out = k;
	return true;
}

void key_add_text(struct buf *out, const struct key *k)
{
	key_put_text(out, k, k->public);
}

struct str key_text(struct arena *a, const struct key *k)
{
	struct buf text;

	buf_init(&text);
	key_add_text(&text, k);
	return arena_take(a, &text);
}

bool key_eq(const struct key *a, const struct key *b)
{
	return a->kind == b->kind && str_eq(a->name, b->name) && memcmp(a->public, b->public, ED25519_PUBLIC) == 0;
}

void key_init(struct key *out, struct str name, enum key_kind kind, const uint8_t public[ED25519_PUBLIC])
{
	struct key k = { .name = name, .kind = (uint8_t)kind };

	memcpy(k.public, public, ED25519_PUBLIC);
	set_id(&k);
	*out = k;
}

bool signer_init(struct signer *out, struct str name, enum key_kind kind, const uint8_t seed[ED25519_SEED],
		 struct err *err)
{
	struct signer s = { .key = { .name = name, .kind = (uint8_t)kind } };

	if (!key_is_name(name))
		return err_set(err, ERR_USAGE, "'%.*s' cannot name a key" ERR_HELP "take a name such as "
			       "example.org/trials: at most %d bytes, without spaces, '+' and control characters",
			       STR_ARG(name), KEY_NAME_MAX);
	memcpy(s.seed, seed, ED25519_SEED);
	if (!ed25519_public(seed, s.key.public, err))
		return false;
	set_id(&s.key);
	*out = s;
	explicit_bzero(&s, sizeof(s));
	return true;
}

bool signer_parse(struct str skey, struct signer *out, struct err *err)
{
	struct str text = str_trim(skey);
	uint8_t body[BODY];
	struct key said;
	bool is;

	if (!str_starts(text, PRIVATE))
		return err_set(err, ERR_DATA, "it is not a private key: it does not begin with PRIVATE+KEY+"
			       PRIVATE_HELP);
	if (!parse_parts(str_skip(text, PRIVATE.n), &said, body))
		return err_set(err, ERR_DATA, "it is not a private key: PRIVATE+KEY+name+id+base64 was expected"
			       PRIVATE_HELP);
	is = signer_init(out, said.name, said.kind, body + 1, err);
	explicit_bzero(body, sizeof(body));
	if (is && memcmp(out->key.id, said.id, KEY_ID) != 0)
		return err_set(err, ERR_DATA, "the id of the private key does not belong to it: it was changed");
	return is;
}

void signer_add_text(struct buf *out, const struct signer *s)
{
	buf_add_str(out, PRIVATE);
	key_put_text(out, &s->key, s->seed);
}

/* ---- the directory ---- */

bool keys_home(struct arena *a, struct str *out, struct err *err)
{
	struct str own = str_from(getenv("TRACKWAY_KEYS")), config = str_from(getenv("XDG_CONFIG_HOME"));
	struct str home = str_from(getenv("HOME"));

	if (own.n)
		*out = arena_copy(a, own);
	else if (config.n && config.p[0] == '/') /* a relative one is to be ignored, says its specification */
		*out = ARENA_JOIN(a, config, STR("/trackway/keys"));
	else if (home.n)
		*out = ARENA_JOIN(a, home, STR("/.config/trackway/keys"));
	else
		return err_set(err, ERR_USAGE, "there is no place for keys" ERR_HELP
			       "set TRACKWAY_KEYS to a directory");
	return true;
}

bool keys_check_mode(struct str dir, unsigned mode, struct err *err)
{
	return (mode & 022) == 0 ||
	       err_set(err, ERR_DATA, "%.*s, the directory of keys, can be changed by others (mode %03o), and with it "
		       "the memory of what the keys signed" ERR_HELP "chmod go-w %.*s", STR_ARG(dir), mode & 07777,
		       STR_ARG(dir));
}

/* One that is not there has nothing in it. */
static bool check_dir(struct arena *a, struct str dir, struct err *err)
{
	struct stat st;

	return stat(arena_copy(a, dir).p, &st) != 0 || keys_check_mode(dir, (unsigned)st.st_mode & 07777, err);
}

static struct str key_path_of(struct arena *a, struct str dir, const struct key *k)
{
	char id[2 * KEY_ID];

	hex_format(id, k->id, KEY_ID);
	return ARENA_JOIN(a, dir, STR("/"), str_of(id, sizeof(id)), STR(".key"));
}

/* Every directory on the way that is not there; the new names are made to last. */
static bool key_make_dirs(struct str path, struct err *err)
{
	size_t there;

	if (!file_make_dirs(path, 0700, &there, err))
		return false;
	for (size_t at = path.n; at > there; at--)
		if ((at == path.n || path.p[at] == '/') && !file_sync_dir(str_dirname(str_of(path.p, at)), err))
			return false;
	return true;
}

/* A file of our own with the text in it, on the disk. */
static bool write_temporary(const char *path, struct str text, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool done;

	if (fd < 0)
		return err_system(err, errno, "cannot make %s", path);
	done = file_write_all(fd, text, err) || err_context(err, path);
	if (done && fsync(fd) != 0)
		done = err_system(err, errno, "cannot bring %s to the disk", path);
	if (close(fd) != 0 && done)
		done = err_system(err, errno, "cannot close %s", path);
	if (!done)
		unlink(path);
	return done;
}

/* A link, unlike a renaming, never takes the place of a key that is there: *is_taken tells so. */
static bool write_new(struct arena *a, struct str dir, const struct signer *s, bool *is_taken, struct err *err)
{
	struct str path = key_path_of(a, dir, &s->key), temporary;
	struct buf text;
	uint64_t random;
	bool done;

	*is_taken = false;
	seed_random(&random, sizeof(random));
	temporary = arena_printf(a, "%.*s/.tmp-%016llx", STR_ARG(dir), (unsigned long long)random);
	buf_init(&text);
	buf_reserve(&text, TEXT_MAX); /* so that growing leaves no copy of the seed behind */
	signer_add_text(&text, s);
	buf_add_byte(&text, '\n');
	done = write_temporary(temporary.p, buf_str(&text), err);
	explicit_bzero(text.p, text.cap);
	buf_free(&text);
	if (!done)
		return false;
	if (link(temporary.p, path.p) != 0) {
		*is_taken = errno == EEXIST;
		done = err_system(err, errno, "cannot make %.*s", STR_ARG(path));
	}
	unlink(temporary.p);
	return done && file_sync_dir(dir, err);
}

bool keys_make(struct arena *a, struct str dir, struct str name, enum key_kind kind, struct signer *out,
	       struct err *err)
{
	uint8_t seed[ED25519_SEED];
	bool done = false, is_taken = true;

	if (!key_make_dirs(dir, err) || !check_dir(a, dir, err))
		return false;
	for (int i = 0; i < TRIES && is_taken; i++) { /* another key of the same short id: rare, not impossible */
		seed_random(seed, sizeof(seed));
		if (!signer_init(out, arena_copy(a, name), kind, seed, err))
			break;
		done = write_new(a, dir, out, &is_taken, err);
	}
	explicit_bzero(seed, sizeof(seed));
	return done;
}

bool keys_add(struct arena *a, struct str dir, const struct signer *s, struct err *err)
{
	struct signer old;
	bool is_taken, found;

	if (!key_make_dirs(dir, err) || !check_dir(a, dir, err))
		return false;
	if (write_new(a, dir, s, &is_taken, err))
		return true;
	if (!is_taken)
		return false;
	if (keys_find(a, dir, &s->key, &old, &found, err))
		return true;
	if (found)
		return false;
	return err_set(err, ERR_DATA, "%.*s is another key with the same id" ERR_HELP
		       "keep the keys in two directories "
		       "(TRACKWAY_KEYS)", STR_ARG(key_path_of(a, dir, &s->key)));
}

/* At most TEXT_MAX bytes of a regular file that nobody but its owner may open. The caller wipes `text`. */
static bool read_key(int fd, struct str path, char text[TEXT_MAX], size_t *n, struct err *err)
{
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st) != 0)
		return err_system(err, errno, "cannot look at %.*s", STR_ARG(path));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_DATA, "%.*s is not a regular file", STR_ARG(path));
	if (st.st_mode & 077)
		return err_set(err, ERR_DATA, "%.*s can be read or changed by others (mode %03o)" ERR_HELP
			       "chmod 600 %.*s", STR_ARG(path), (unsigned)(st.st_mode & 0777), STR_ARG(path));
	for (*n = 0; *n < TEXT_MAX; *n += (size_t)got) {
		do {
			got = read(fd, text + *n, TEXT_MAX - *n);
		} while (got < 0 && errno == EINTR);
		if (got < 0)
			return err_system(err, errno, "cannot read %.*s", STR_ARG(path));
		if (got == 0)
			return true;
	}
	return err_set(err, ERR_DATA, "%.*s is too long for a private key", STR_ARG(path));
}

/* The signer in the file; its name lies in the arena. */
static bool load(struct arena *a, int fd, struct str path, struct signer *out, struct err *err)
{
	char text[TEXT_MAX];
	size_t n = 0;
	bool done = read_key(fd, path, text, &n, err);

	if (done && !signer_parse(str_of(text, n), out, err))
		done = err_context(err, path.p);
	if (done)
		out->key.name = arena_copy(a, out->key.name);
	explicit_bzero(text, sizeof(text));
	return done;
}

bool keys_find_id(struct arena *a, struct str dir, const struct key *k, struct signer *out, bool *found,
		  struct err *err)
{
	struct str path = key_path_of(a, dir, k);
	int fd = open(path.p, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct signer s;
	bool done;

	*found = fd >= 0 || (errno != ENOENT && errno != ENOTDIR);
	if (fd < 0)
		return *found && err_system(err, errno, "cannot open %.*s", STR_ARG(path));
	done = check_dir(a, dir, err) && load(a, fd, path, &s, err);
	close(fd);
	if (!done)
		return false;
	if (memcmp(s.key.id, k->id, KEY_ID) != 0)
		return err_set(err, ERR_DATA, "%.*s holds another key than its name says: that of %.*s", STR_ARG(path),
			       STR_ARG(s.key.name));
	*found = s.key.kind == k->kind && str_eq(s.key.name, k->name);
	if (*found)
		*out = s;
	explicit_bzero(s.seed, sizeof(s.seed));
	return *found;
}

bool keys_find(struct arena *a, struct str dir, const struct key *k, struct signer *out, bool *found, struct err *err)
{
	struct signer s;

	if (!keys_find_id(a, dir, k, &s, found, err))
		return false;
	*found = memcmp(s.key.public, k->public, ED25519_PUBLIC) == 0;
	if (*found)
		*out = s;
	explicit_bzero(s.seed, sizeof(s.seed));
	return *found;
}
