/* The few helpers that run functions share. */
#include "cmd/frame/command.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

bool usage_set(struct err *err, const char *help, const char *format, ...)
{
	char message[700]; /* leaves room for the help in the text of an error, however long a word was */
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return err_set(err, ERR_USAGE, "%s%s%s", message, help ? ERR_HELP : "", help ? help : "");
}

struct str args_path(struct args args)
{
	assert(args.count > 0);
	return args.items[0];
}

bool args_default_stdin(struct args *args)
{
	static const struct str standard_input = { "-", 1 };

	if (args->count > 0)
		return true;
	if (isatty(STDIN_FILENO) == 1)
		return false;
	args->items = &standard_input;
	args->count = 1;
	args->rest = 1;
	return true;
}
