/* Logs written in a few words: make(&log, seq, "type", "further members"). */
#ifndef UNIT_DIALECT_OTUTL_LOG_TEXT_H
#define UNIT_DIALECT_OTUTL_LOG_TEXT_H

#include "base/buf.h"

#define RUN_A "019de368-f600-7000-8000-00000000000a"
#define RUN_B "019de368-f600-7000-8000-00000000000b"

struct log_text {
	struct buf text;
	const char *run_id; /* NULL means RUN_A */
};

__attribute__((format(printf, 4, 5))) static inline void make(struct log_text *l, unsigned long long seq, const char *type,
							      const char *format, ...)
{
	va_list args;

	buf_printf(&l->text, "{\"seq\":%llu,\"type\":\"%s\",\"ts\":\"2026-05-01T12:00:00.000Z\",\"run_id\":\"%s\"", seq, type,
		   l->run_id ? l->run_id : RUN_A);
	va_start(args, format);
	buf_vprintf(&l->text, format, args);
	va_end(args);
	buf_add_str(&l->text, STR("}\n"));
}

#endif
