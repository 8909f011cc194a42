/*
 * sha256 FILE [--passes N]: OpenSSL's SHA-256 of bytes in memory, nothing else. On the canonical bytes of
 * a log this is the limit that canonicalising and hashing on one thread cannot reach.
 */
#include <openssl/evp.h>

#include "../common.h"

static struct bench_sample hash(EVP_MD_CTX *context, const EVP_MD *md, struct bench_text text, char hex[65])
{
	static const char digits[] = "0123456789abcdef";
	struct bench_sample sample = { .bytes = text.n };
	unsigned char out[EVP_MAX_MD_SIZE];
	struct bench_clock begin = bench_now();

	EVP_DigestInit_ex2(context, md, NULL);
	for (size_t at = 0; at < text.n; at += BENCH_CHUNK) {
		size_t n = text.n - at < BENCH_CHUNK ? text.n - at : BENCH_CHUNK;

		if (EVP_DigestUpdate(context, text.p + at, n) != 1)
			bench_fail("sha256", "failed");
	}
	EVP_DigestFinal_ex(context, out, NULL);
	sample.took = bench_since(begin);
	for (int i = 0; i < 32; i++) {
		hex[2 * i] = digits[out[i] >> 4];
		hex[2 * i + 1] = digits[out[i] & 15];
	}
	hex[64] = '\0';
	return sample;
}

int main(int argc, char **argv)
{
	unsigned passes = bench_number(argc, argv, "--passes", 1);
	EVP_MD *md = EVP_MD_fetch(NULL, "SHA2-256", NULL);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	struct bench_text text;
	char hex[65];

	if (argc < 2 || !md || !context)
		bench_fail("usage", "sha256 FILE [--passes N]");
	text = bench_load(argv[1]);
	for (unsigned i = 0; i < passes; i++) {
		struct bench_sample sample = hash(context, md, text, hex);

		bench_report(sample, hex, "EVP");
	}
	EVP_MD_CTX_free(context);
	EVP_MD_free(md);
	return 0;
}
