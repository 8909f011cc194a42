/* Words are told apart by spaces and line ends alone, and measured in columns, so wide characters count twice. */
#include "cmd/screen/wrap.h"

#include "base/utf8.h"

void wrap_add_spaces(struct buf *out, size_t count)
{
	for (; count; count--)
		buf_add_byte(out, ' ');
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n';
}

/* The next word and how many spaces stood before it; a line end counts as one. */
static struct str cut_word(struct str *text, size_t *spaces)
{
	size_t start = 0, end;
	struct str word;

	while (start < text->n && is_space(text->p[start]))
		start++;
	end = start;
	while (end < text->n && !is_space(text->p[end]))
		end++;
	word = str_of(text->p + start, end - start);
	*text = str_skip(*text, end);
	*spaces = start;
	return word;
}

void wrap_add_words(struct buf *out, struct str text, size_t column, size_t indent, size_t width)
{
	size_t spaces;
	struct str word = cut_word(&text, &spaces);
	bool is_first = true;

	for (; word.n; word = cut_word(&text, &spaces)) {
		size_t wide = utf8_width(word), gap = is_first ? 0 : spaces;
		bool line_is_empty = is_first && column <= indent;

		if (column + gap + wide > width && !line_is_empty) {
			buf_add_byte(out, '\n');
			wrap_add_spaces(out, indent);
			column = indent;
			gap = 0;
		}
		wrap_add_spaces(out, gap);
		buf_add_str(out, word);
		column += gap + wide;
		is_first = false;
	}
}

static struct str skip_line(struct str text)
{
	struct str rest;

	(void)str_cut(text, '\n', &rest);
	return rest;
}

struct str wrap_next_block(struct str *left, bool *is_verbatim, size_t *gap)
{
	struct str start = *left, at;

	for (; start.n && start.p[0] == '\n'; start = skip_line(start))
		*gap += 1;
	*is_verbatim = start.n && start.p[0] == ' ';
	at = start;
	while (at.n && at.p[0] != '\n' && (at.p[0] == ' ') == *is_verbatim)
		at = skip_line(at);
	*left = at;
	return start.n ? str_of(start.p, start.n - at.n) : str_of(NULL, 0);
}

static void add_verbatim(struct buf *out, struct str block, size_t indent)
{
	while (block.n) {
		wrap_add_spaces(out, indent);
		buf_add_str(out, str_cut(block, '\n', &block));
		buf_add_byte(out, '\n');
	}
}

void wrap_add_paragraphs(struct buf *out, struct str text, size_t indent, size_t width)
{
	struct str block;
	bool is_verbatim;
	size_t gap = 0;

	while ((block = wrap_next_block(&text, &is_verbatim, &gap)).p) {
		for (; gap; gap--)
			buf_add_byte(out, '\n');
		if (is_verbatim) {
			add_verbatim(out, block, indent);
			continue;
		}
		wrap_add_spaces(out, indent);
		wrap_add_words(out, block, indent, indent, width);
		buf_add_byte(out, '\n');
	}
}
