/* Reads what variables and the system name, and copies blocks of PEM that are certificates. */
#include "capture/trust.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"

enum { FILE_MOST = 16 << 20, ENTRIES_MOST = 4096 };

const struct trust_variable trust_variables[] = {
	{ "SSL_CERT_FILE", true },
	{ "NODE_EXTRA_CA_CERTS", true },
	{ "REQUESTS_CA_BUNDLE", true },
	{ "CODEX_CA_CERTIFICATE", true },
	{ "CURL_CA_BUNDLE", false },
	{ "AWS_CA_BUNDLE", false },
	{ "DENO_CERT", false },
	{ NULL, false },
};

/* Where systems keep their roots in one file: Debian, Fedora, SUSE, Alpine and BSD. */
static const char *const trust_system[] = {
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem",
	"/etc/ssl/cert.pem",
};

struct trust {
	struct arena *arena;
	struct map seen; /* blocks that are in `out` */
	struct buf *out;
};

static const char *trust_find_variable(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return (*env)[n + 1] ? *env + n + 1 : NULL;
	return NULL;
}

/* From one BEGIN to its END. Blocks of another kind (keys, parameters) are stepped over. */
static void trust_add_blocks(struct trust *t, struct str pem)
{
	const struct str begin = STR("-----BEGIN CERTIFICATE-----"), end = STR("-----END CERTIFICATE-----");
	size_t from, to;
	bool added;

	while ((from = str_find(pem, begin)) != (size_t)-1) {
		pem = str_skip(pem, from);
		to = str_find(pem, end);
		if (to == (size_t)-1)
			return;
		map_add(&t->seen, str_of(pem.p, to), &added);
		if (added) {
			buf_add(t->out, pem.p, to + end.n);
			buf_add_byte(t->out, '\n');
		}
		pem = str_skip(pem, to + end.n);
	}
}

static bool trust_add_file(struct trust *t, struct str path)
{
	struct str text;
	struct err err;

	if (!file_read(t->arena, path, FILE_MOST, &text, &err))
		return false;
	trust_add_blocks(t, text);
	return true;
}

/* The files of a directory, as OpenSSL's hashed ones are: links and all, in the order they come. */
static void trust_add_dir(struct trust *t, struct str path)
{
	DIR *dir = opendir(arena_copy(t->arena, path).p);
	struct dirent *e;

	for (unsigned n = 0; dir && n < ENTRIES_MOST && (e = readdir(dir)); n++)
		if (e->d_name[0] != '.')
			trust_add_file(t, ARENA_JOIN(t->arena, path, STR("/"), str_from(e->d_name)));
	if (dir)
		closedir(dir);
}

static void trust_add_path(struct trust *t, struct str path)
{
	if (file_is_dir(path))
		trust_add_dir(t, path);
	else
		trust_add_file(t, path);
}

void trust_gather(struct arena *a, const char *const *env, struct buf *out)
{
	struct trust t = { .arena = a, .out = out };
	const char *dirs = trust_find_variable(env, "SSL_CERT_DIR");
	struct str rest = dirs ? str_from(dirs) : str_of(NULL, 0);

	map_init(&t.seen, a);
	for (size_t i = 0; trust_variables[i].name; i++) {
		const char *path = trust_find_variable(env, trust_variables[i].name);

		if (path)
			trust_add_path(&t, str_from(path));
	}
	if (!trust_find_variable(env, "SSL_CERT_FILE"))
		for (size_t i = 0; i < COUNT(trust_system) && !trust_add_file(&t, str_from(trust_system[i])); i++)
			;
	while (rest.n)
		trust_add_path(&t, str_cut(rest, ':', &rest));
}

void trust_add(struct arena *a, struct str pem, struct buf *out)
{
	struct trust t = { .arena = a, .out = out };

	map_init(&t.seen, a);
	trust_add_blocks(&t, pem);
}
