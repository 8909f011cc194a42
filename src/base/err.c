#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Through a copy, since the arguments may point into e->text. */
__attribute__((format(printf, 2, 0))) static void err_set_text(struct err *e, const char *format, va_list args,
							       const char *tail)
{
	char text[sizeof(e->text) + 4];
	size_t tail_length = strlen(tail), n;
	int length = vsnprintf(text, sizeof(text), format, args);

	n = length < 0 ? 0 : (size_t)length;
	n = n < sizeof(text) - 1 ? n : sizeof(text) - 1;
	n = utf8_cut(str_of(text, n), sizeof(e->text) - 1 - tail_length).n;
	memcpy(e->text, text, n);
	memcpy(e->text + n, tail, tail_length + 1);
}

bool err_set(struct err *e, enum err_kind kind, const char *format, ...)
{
	va_list args;

	assert(kind != ERR_NONE);
	va_start(args, format);
	err_set_text(e, format, args, "");
	va_end(args);
	e->kind = kind;
	e->advice = ADVICE_NONE;
	e->errnum = 0;
	return false;
}

bool err_system(struct err *e, int errnum, const char *format, ...)
{
	const char *reason = strerrordesc_np(errnum); /* unlike strerror, in no locale's words */
	char tail[100];
	va_list args;

	if (reason)
		snprintf(tail, sizeof(tail), ": %s", reason);
	else
		snprintf(tail, sizeof(tail), ": unknown error %d", errnum);
	va_start(args, format);
	err_set_text(e, format, args, tail);
	va_end(args);
	e->kind = ERR_IO;
	e->advice = ADVICE_NONE;
	e->errnum = errnum;
	return false;
}

bool err_advise(struct err *e, enum err_advice advice)
{
	assert(e->kind != ERR_NONE); /* advice about nothing would be lost */
	e->advice = advice;
	return false;
}

bool err_context(struct err *e, const char *what)
{
	const size_t max = sizeof(e->text) - 1;
	size_t n = strlen(e->text), what_length = utf8_cut(str_from(what), max - 2).n, room = max - 2 - what_length;

	assert(e->kind != ERR_NONE);
	n = utf8_cut(str_of(e->text, n), room).n;
	memmove(e->text + what_length + 2, e->text, n);
	memcpy(e->text, what, what_length);
	memcpy(e->text + what_length, ": ", 2);
	e->text[what_length + 2 + n] = '\0';
	return false;
}
