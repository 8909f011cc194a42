/* Which variants there are, and which one is used: asked once, at start. */
#include "json/scan.h"

#define VARIANTS_MAX 4

#if defined(__x86_64__)
static size_t list_variants(const struct scan_variant **out)
{
	size_t n = 0;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
	    __builtin_cpu_supports("pclmul")) {
		if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi"))
			out[n++] = &scan_avx512;
		out[n++] = &scan_avx2;
	}
	out[n++] = &scan_scalar;
	return n;
}
#elif defined(__aarch64__)
static size_t list_variants(const struct scan_variant **out)
{
	out[0] = &scan_neon;
	out[1] = &scan_scalar;
	return 2;
}
#else
static size_t list_variants(const struct scan_variant **out)
{
	out[0] = &scan_scalar;
	return 1;
}
#endif

static const struct scan_variant *variants[VARIANTS_MAX + 1];
static const struct scan_variant *chosen;

/* Before main, so that threads only ever read. */
__attribute__((constructor)) static void pick(void)
{
	variants[list_variants(variants)] = NULL;
	chosen = variants[0];
}

const struct scan_variant *const *scan_variants(void)
{
	return variants;
}

const struct scan_variant *scan_chosen(void)
{
	return chosen;
}

const char *json_variant(void)
{
	return chosen->name;
}

bool json_use_variant(struct str name)
{
	for (size_t i = 0; variants[i]; i++) {
		if (str_eq(str_from(variants[i]->name), name)) {
			chosen = variants[i];
			return true;
		}
	}
	return false;
}
