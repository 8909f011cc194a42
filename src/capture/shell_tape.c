/* What is asked is gathered before the program runs; the line is written, with secrets masked, when it has ended. */
#include "capture/shell_tape.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/crypto/base64.h"
#include "base/crypto/hex.h"
#include "base/utf8.h"
#include "json/put.h"

#define TAPE_PIPE 65536 /* bytes of a pipe that can be looked at */
#define TAPE_SECRET 8   /* bytes that a key has at least */
#define TAPE_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" /* the digest of nothing */

/* Of the environment, what changes how programs write: a short list, and nothing that may be a key. */
static const char *const tape_variables[] = { "LANG", "LC_ALL", "TZ", "TERM", "NO_COLOR", "COLUMNS" };

/* ---- standard input ---- */

/* The rest of a file, which stays where it stands. False: it is too long, or cannot be read. */
static bool tape_read_file(struct buf *in)
{
	int64_t at = lseek(0, 0, SEEK_CUR);
	ssize_t n = at < 0 ? -1 : 1;

	while (n > 0 && in->n <= SHELL_TAPE_STDIN) {
		n = pread(0, buf_reserve(in, TAPE_PIPE), TAPE_PIPE, at);
		in->n += n > 0 ? (size_t)n : 0;
		at += n > 0 ? n : 0;
	}
	return n == 0;
}

/* What is in a pipe whose writers have left, as in a here-document: copied, not taken. */
static bool tape_read_pipe(struct buf *in)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };
	int fds[2], there = 0;
	ssize_t n = 0;

	if (poll(&p, 1, 0) < 0 || !(p.revents & POLLHUP) || ioctl(0, FIONREAD, &there) != 0 || there > TAPE_PIPE)
		return false;
	if (there == 0)
		return true;
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	if (tee(0, fds[1], (size_t)there, SPLICE_F_NONBLOCK) == there)
		while (in->n < (size_t)there && (n = read(fds[0], buf_reserve(in, TAPE_PIPE), TAPE_PIPE)) > 0)
			in->n += (size_t)n;
	close(fds[0]);
	close(fds[1]);
	return in->n == (size_t)there;
}

static bool tape_read_stdin(struct buf *in)
{
	struct stat st;

	if (fstat(0, &st) != 0)
		return true; /* it is closed */
	if (S_ISREG(st.st_mode))
		return tape_read_file(in);
	if (S_ISFIFO(st.st_mode))
		return tape_read_pipe(in);
	return S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3); /* /dev/null */
}

/* Loaded only here: a shim that brought the library along would take half as long again for every command. */
static struct str tape_digest(struct arena *a, struct str bytes)
{
	void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
	unsigned char *(*sha256)(const unsigned char *, size_t, unsigned char *) = NULL;
	unsigned char digest[32];
	char *hex;

	if (library)
		*(void **)&sha256 = dlsym(library, "SHA256");
	if (!sha256 || !sha256((const unsigned char *)bytes.p, bytes.n, digest))
		return str_of(NULL, 0);
	hex = arena_alloc(a, 2 * sizeof(digest), 1);
	hex_format(hex, digest, sizeof(digest));
	return str_of(hex, 2 * sizeof(digest));
}

static struct str tape_digest_stdin(struct arena *a)
{
	struct str hex = { NULL, 0 };
	struct buf in;

	buf_init(&in);
	if (tape_read_stdin(&in))
		hex = in.n ? tape_digest(a, buf_str(&in)) : STR(TAPE_EMPTY);
	buf_free(&in);
	return hex;
}

/* ---- before ---- */

static struct str tape_cwd(struct arena *a, const char *root)
{
	struct str start = str_from(root ? root : ""), here, rest;
	char path[PATH_MAX];

	if (!getcwd(path, sizeof(path)))
		return str_of(NULL, 0);
	here = str_from(path);
	rest = str_skip(here, start.n < here.n ? start.n : here.n);
	if (start.n > 1 && str_starts(here, start) && (rest.n == 0 || rest.p[0] == '/'))
		return ARENA_JOIN(a, STR("<ws>"), rest);
	return arena_copy(a, here);
}

void shell_tape_begin(struct shell_tape *t, struct arena *a, struct str name, char **argv, const char *root)
{
	*t = (struct shell_tape){ .name = name, .argv = argv };
	t->cwd = tape_cwd(a, root);
	t->stdin_sha256 = tape_digest_stdin(a);
}

/* ---- keys ---- */

/* Variables whose values nobody may see, by parts of their names. */
static bool tape_is_secret(struct str name)
{
	static const char *const parts[] = { "KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH", "COOKIE" };

	for (size_t i = 0; i < COUNT(parts); i++)
		if (str_has_nocase(name, str_from(parts[i])))
			return true;
	return false;
}

/* Stars in the place of a value, so that all else stays where it is. Whether there was one. */
static bool tape_mask_value(char *p, size_t n, struct str value)
{
	bool any = false;

	for (size_t at = 0; at + value.n <= n; any = true) {
		size_t found = str_find(str_of(p + at, n - at), value);

		if (found > n - at - value.n)
			break;
		memset(p + at + found, '*', value.n);
		at += found + value.n;
	}
	return any;
}

/* A command that prints its environment prints the keys in it. A copy in the arena, with stars where they are. */
static struct str tape_mask(struct arena *a, struct str text, bool *any)
{
	char *own = NULL;

	for (char **e = environ; *e && text.n; e++) {
		struct str value, name = str_cut(str_from(*e), '=', &value);

		if (value.n < TAPE_SECRET || !tape_is_secret(name) || !str_has(text, value))
			continue;
		if (!own)
			own = memcpy(arena_alloc(a, text.n, 1), text.p, text.n);
		text.p = own;
		*any = tape_mask_value(own, text.n, value) || *any;
	}
	return text;
}

/* ---- after ---- */

/* Whether a text does not become much longer as a string of JSON. */
static bool tape_is_short(struct str text)
{
	size_t more = 0;

	for (size_t i = 0; i < text.n; i++)
		more += memchr("\n\t\"\\", text.p[i], 4) ? 1 : (unsigned char)text.p[i] < ' ' ? 5 : 0;
	return more <= text.n / 2 + 64;
}

void shell_tape_put_text(struct json_writer *w, struct str text, bool as_text)
{
	struct buf packed;

	if (as_text) {
		json_write_string(w, text.n ? text : STR(""));
		return;
	}
	buf_init(&packed);
	base64_add(&packed, text);
	json_write_begin_object(w);
	json_put_text(w, "base64", buf_str(&packed));
	json_write_end_object(w);
	buf_free(&packed);
}

/*
 * What is no UTF-8 is an object, so that nothing can be taken for what it is not; and so is what would be too long for
 * the recorder's socket.
 */
static void tape_add_text(struct json_writer *w, struct str text)
{
	shell_tape_put_text(w, text, utf8_check(text) == text.n && tape_is_short(text));
}

/* The name in the place of argv[0], which has a path of this machine where the caller gave one. */
static void tape_add_request(struct json_writer *w, struct arena *a, const struct shell_tape *t, bool *masked)
{
	json_write_begin_object(w);
	json_put_array(w, "argv");
	json_write_string(w, t->name);
	for (size_t i = 1; t->argv[0] && t->argv[i]; i++)
		tape_add_text(w, tape_mask(a, str_from(t->argv[i]), masked));
	json_write_end_array(w);
	json_put_key(w, "cwd");
	if (t->cwd.p)
		tape_add_text(w, t->cwd);
	else
		json_write_null(w);
	json_put_text_or_null(w, "stdin_sha256", t->stdin_sha256);
	json_put_object(w, "env");
	for (size_t i = 0; i < COUNT(tape_variables); i++) {
		const char *value = getenv(tape_variables[i]);

		if (!value)
			continue;
		json_put_key(w, tape_variables[i]);
		tape_add_text(w, str_from(value));
	}
	json_write_end_object(w);
	json_write_end_object(w);
}

/* [stream, text, microseconds since the piece before]. */
static void tape_add_io(struct json_writer *w, struct arena *a, const struct shim_end *end, bool *masked)
{
	struct str kept = tape_mask(a, end->written.kept, masked);
	int64_t before = end->begun_ns;
	size_t from = 0;

	json_put_array(w, "io");
	for (size_t i = 0; i < end->written.piece_count; i++) {
		const struct relay_piece *p = &end->written.pieces[i];

		json_write_begin_array(w);
		json_write_string(w, p->stream ? STR("e") : STR("o"));
		tape_add_text(w, str_of(kept.p + from, p->end - from));
		json_write_i64(w, p->ns > before ? (p->ns - before) / 1000 : 0);
		json_write_end_array(w);
		from = p->end;
		before = p->ns;
	}
	json_write_end_array(w);
}

void shell_tape_add_request(struct buf *out, const struct shell_tape *t)
{
	struct json_writer w;
	struct arena a;
	bool masked = false;

	arena_init(&a);
	json_write_init(&w, out, JSON_COMPACT);
	tape_add_request(&w, &a, t, &masked);
	arena_free(&a);
}

void shell_tape_add(struct buf *out, const struct shell_tape *t, const struct shim_end *end)
{
	bool killed = WIFSIGNALED(end->status);
	bool masked = false;
	struct json_writer w;
	struct arena a;

	arena_init(&a);
	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "lane", STR("shell"));
	json_put_text(&w, "command", t->id);
	json_put_text_or_null(&w, "parent", t->parent);
	json_put_key(&w, "req");
	tape_add_request(&w, &a, t, &masked);
	json_put_object(&w, "resp");
	tape_add_io(&w, &a, end, &masked);
	json_put_i64_or_null(&w, "stdout_size", end->out);
	json_put_i64_or_null(&w, "stderr_size", end->err);
	if (end->written.cut)
		json_put_bool(&w, "cut", true);
	json_put_i64_or_null(&w, "exit", killed ? -1 : WEXITSTATUS(end->status));
	json_put_i64_or_null(&w, "signal", killed ? WTERMSIG(end->status) : -1);
	json_write_end_object(&w);
	json_put_i64(&w, "t_us", end->begun_ns / 1000);
	json_put_i64(&w, "dur_us", (end->ended_ns - end->begun_ns) / 1000);
	json_put_i64_or_null(&w, "cpu_us", end->cpu_ns < 0 ? -1 : end->cpu_ns / 1000);
	if (masked)
		json_put_bool(&w, "masked", true);
	json_write_end_object(&w);
	arena_free(&a);
}
