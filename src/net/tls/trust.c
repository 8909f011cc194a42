#include "net/tls/trust.h"

#include <dirent.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Of names like "002c0b4f.0": with them a certificate is found without reading the others. */
static bool is_hashed(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = strlen(e->d_name) == 10 && strspn(e->d_name, "0123456789abcdef") == 8 &&
			strcmp(e->d_name + 8, ".0") == 0;
	if (d)
		closedir(d);
	return found;
}

/* What there is of OpenSSL's own places, or of the places where systems keep them as a file. None: none is trusted. */
static void load_system(X509_STORE *store)
{
	const char *const files[] = {
		X509_get_default_cert_file(), "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
	};
	const char *const dirs[] = { X509_get_default_cert_dir(), "/etc/ssl/certs" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (is_hashed(dirs[i])) {
			X509_STORE_load_path(store, dirs[i]);
			return;
		}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (access(files[i], R_OK) == 0 && X509_STORE_load_file(store, files[i]) == 1)
			break;
}

bool tls_trust_load(X509_STORE *store, struct err *err)
{
	const char *file = setting("SSL_CERT_FILE"), *dir = setting("SSL_CERT_DIR");
	bool good = true;

	if (!file && !dir)
		load_system(store);
	if (file)
		good = X509_STORE_load_file(store, file) == 1;
	if (good && dir) /* may be several, with colons between; who has only one may have mistyped it */
		good = (strchr(dir, ':') || access(dir, R_OK | X_OK) == 0) && X509_STORE_load_path(store, dir) == 1;
	ERR_clear_error();
	return good || err_set(err, ERR_IO, "the authorities to trust cannot be read from %s%s%s; look at "
			       "SSL_CERT_FILE and SSL_CERT_DIR", file ? file : "", file && dir ? " and " : "",
			       dir ? dir : "");
}
