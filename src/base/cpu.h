/* What this machine's processor can do, asked once. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct cpu {
	bool avx2;    /* AVX2, BMI1, BMI2, PCLMULQDQ, LZCNT, and the system saves the registers */
	bool avx512;  /* F, BW, VL, VBMI, VBMI2 on top */
	bool neon;
	unsigned cores; /* this process may use */
};

/* Asks the system at the first call and remembers; safe from any thread. At least one core. */
struct cpu cpu_get(void);

/* What Linux calls the architecture that this program was compiled for (AUDIT_ARCH_*); 0: another than ours. */
uint32_t cpu_audit_arch(void);

/* The cores that a control group's cpu.max ("150000 100000") amounts to, rounded up; 0 for no limit. */
unsigned cpu_parse_quota(struct str cpu_max);

#endif
