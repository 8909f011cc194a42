/* One header a line. A message names the line and never shows it. */
#include "cmd/frame/header_file.h"

#include "base/file.h"

#define HEADERS_MAX ((size_t)256 << 10)

/* Refuses control characters: a header must not be able to end its line and begin another. */
static bool header_file_read_line(struct str line, struct http_header *out)
{
	struct str value;

	out->name = str_cut(line, ':', &value);
	out->value = str_trim(value);
	for (size_t i = 0; i < out->name.n; i++)
		if (out->name.p[i] <= ' ' || out->name.p[i] >= 127)
			return false;
	for (size_t i = 0; i < out->value.n; i++)
		if (((unsigned char)out->value.p[i] < ' ' && out->value.p[i] != '\t') || out->value.p[i] == 127)
			return false;
	return out->name.n > 0 && out->name.n < line.n;
}

bool header_file_read(struct arena *a, struct str path, const struct http_header **headers, size_t *count,
		      struct err *err)
{
	struct http_header *list;
	struct str text, line;
	size_t cap = 1, number = 0;

	if (!path.p)
		return true;
	if (!file_read(a, path, HEADERS_MAX, &text, err))
		return err_context(err, "--header-file");
	for (size_t i = 0; i < text.n; i++)
		cap += text.p[i] == '\n';
	list = arena_array(a, struct http_header, cap);
	*count = 0;
	while (text.n) {
		line = str_trim(str_cut(text, '\n', &text));
		number++;
		if (!line.n || line.p[0] == '#')
			continue;
		if (!header_file_read_line(line, &list[(*count)++]))
			return err_set(err, ERR_DATA, "--header-file: %.*s:%zu: this is not 'Name: value'",
				       STR_ARG(path), number);
	}
	*headers = list;
	return true;
}
