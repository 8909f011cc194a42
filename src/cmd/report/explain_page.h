/* What `trackway explain` shows: the page of a rule, the list of all, both also as JSON. */
#ifndef CMD_REPORT_EXPLAIN_PAGE_H
#define CMD_REPORT_EXPLAIN_PAGE_H

#include "cmd/frame/command.h"
#include "cmd/report/rules.h"
#include "json/write.h"

/* The fields of a rule that --json=... may name; ended by NULL. */
extern const char *const explain_fields[];

/*
 * Adds everything about one rule, wrapped to the terminal and to at most 100 columns. Sections that its row does not
 * have are left out.
 */
void explain_page_add(struct buf *out, const struct term *t, const struct rules_group *g, const struct rule *r);

/* A line for each rule of the group that is one of the format (p NULL: any), below the name; nothing for none. */
void explain_page_add_list(struct buf *out, const struct term *t, const struct rules_group *g, struct str format);

/* Writes one object with the fields that are selected; what the rule's row does not have is null. */
void explain_page_write(struct json_writer *w, struct opt_maybe fields, const struct rules_group *g,
			const struct rule *r);

#endif
