/* What this program was built from and how. */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

#include <stdbool.h>

#define BUILD_VERSION "0.1.0"
#define BUILD_DATE "2026-11-15" /* of the version, for the manual pages */

const char *build_commit(void);   /* "" when the build did not say */
const char *build_compiler(void); /* "gcc 12.2.0" */
const char *build_flags(void);    /* "" when the build did not say */
bool build_has_sanitizer(void);   /* AddressSanitizer, which wants the fault signals for itself */

#endif
