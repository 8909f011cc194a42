/* One chunk through the same detection that a conversion makes. */
#include "flow/log_look.h"

bool log_look(struct str path, const struct source_io *io, const struct dialect **out, bool *is_archive,
	      struct err *err)
{
	struct source_options how = { .shape = SOURCE_CONTENT, .file_groups = true, .io = io };
	struct json_parser *parser = dialect_detect_open();
	struct source *from;
	struct arena a;
	struct chunk in = { .input = NULL };
	struct buf bytes;
	enum next got = NEXT_FAIL;

	arena_init(&a);
	buf_init(&bytes);
	*out = NULL;
	*is_archive = false;
	from = source_open(&a, &path, 1, how, err);
	if (from) {
		source_be_patient(from);
		got = source_next(from, &bytes, &in, err);
	}
	if (got == NEXT_MORE) {
		*is_archive = in.input->member.p != NULL;
		*out = dialect_detect(parser, in.bytes, in.input->lines, in.last ? DIALECT_TO_READ : DIALECT_TO_READ_ON,
				      NULL);
	}
	if (from)
		source_close(from);
	json_parser_close(parser);
	buf_free(&bytes);
	arena_free(&a);
	return got != NEXT_FAIL;
}
