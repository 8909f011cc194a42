/* Writes the bytes of a template between two placeholders at once: most of a stream's bytes are the template's own. */
#include "provider/mock_json.h"

#include <assert.h>

#include "base/num.h"
#include "json/write.h"

static void mock_json_add_plain(struct buf *out, const char *text, size_t n)
{
	char *to = buf_reserve(out, n);

	for (size_t i = 0; i < n; i++)
		to[i] = (char)(text[i] == '\'' ? '"' : text[i]);
	out->n += n;
}

static void mock_json_add_word(struct buf *out, const char *word)
{
	if (!word) {
		buf_add_str(out, STR("null"));
		return;
	}
	buf_add_byte(out, '"');
	buf_add(out, word, strlen(word));
	buf_add_byte(out, '"');
}

static void mock_json_add_id(struct buf *out, const char *prefix, const char *digits, uint64_t n)
{
	assert(strlen(prefix) < 16 && n <= UINT32_MAX);
	buf_add_byte(out, '"');
	buf_add(out, prefix, strlen(prefix));
	buf_add(out, digits, MOCK_ID_DIGITS);
	buf_printf(out, "%04x\"", (unsigned)n);
}

static void mock_json_add_u64(struct buf *out, uint64_t v)
{
	out->n += num_format_u64(buf_reserve(out, NUM_U64_MAX), v);
}

static void mock_json_add_text(struct buf *out, struct str text)
{
	if (text.p)
		json_write_quoted(out, text);
	else
		buf_add_str(out, STR("null"));
}

/* Between quotes that are there already. */
static void mock_json_add_inside(struct buf *out, struct str text)
{
	size_t from = out->n;

	json_write_quoted(out, text);
	memmove(out->p + from, out->p + from + 1, out->n - from - 2);
	out->n -= 2;
}

void mock_json_add_args(struct buf *out, const char *template, va_list args)
{
	const char *prefix, *digits;

	for (;;) {
		size_t n = strcspn(template, "%");

		mock_json_add_plain(out, template, n);
		if (!template[n])
			return;
		switch (template[n + 1]) {
		case 's':
			mock_json_add_text(out, va_arg(args, struct str));
			break;
		case 't':
			mock_json_add_inside(out, va_arg(args, struct str));
			break;
		case 'w':
			mock_json_add_word(out, va_arg(args, const char *));
			break;
		case 'u':
			mock_json_add_u64(out, va_arg(args, uint64_t));
			break;
		case 'j':
			buf_add_str(out, va_arg(args, struct str));
			break;
		case 'i':
			prefix = va_arg(args, const char *);
			digits = va_arg(args, const char *);
			mock_json_add_id(out, prefix, digits, va_arg(args, uint64_t));
			break;
		default:
			assert(false); /* a letter that no placeholder has */
			return;
		}
		template += n + 2;
	}
}

void mock_json_add(struct buf *out, const char *template, ...)
{
	va_list args;

	va_start(args, template);
	mock_json_add_args(out, template, args);
	va_end(args);
}
