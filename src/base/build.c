#include "base/build.h"

#ifndef TRACKWAY_COMMIT
#define TRACKWAY_COMMIT ""
#endif
#ifndef TRACKWAY_CFLAGS
#define TRACKWAY_CFLAGS ""
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZER true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZER true
#endif
#endif
#ifndef SANITIZER
#define SANITIZER false
#endif

const char *build_commit(void)
{
	return TRACKWAY_COMMIT;
}

const char *build_compiler(void)
{
	return COMPILER;
}

const char *build_flags(void)
{
	return TRACKWAY_CFLAGS;
}

bool build_has_sanitizer(void)
{
	return SANITIZER;
}
