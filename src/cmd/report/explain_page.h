/* What `trackway explain` shows: the page of a rule, the list of all, both also as JSON. */
#ifndef CMD_REPORT_EXPLAIN_PAGE_H
#define CMD_REPORT_EXPLAIN_PAGE_H

#include "cmd/frame/command.h"
#include "cmd/report/rules.h"
#include "json/write.h"

/* The fields of a rule that --json=... may name; ended by NULL. */
extern const char *const explain_fields[];

/* Everything about one rule. */
void explain_page_add(struct buf *out, const struct term *t, const struct rules_group *g, const struct rule *r);

/* A line for each rule of the group that is one of the format (p NULL: any), below the name; nothing for none. */
void explain_page_add_list(struct buf *out, const struct term *t, const struct rules_group *g, struct str format);

/* An object. */
void explain_page_write(struct json_writer *w, struct opt_maybe fields, const struct rules_group *g,
			const struct rule *r);

#endif
