/* A page of a ledger's trials for browsers: one file with plots, which fetches nothing and runs no script. */
#ifndef TRIAL_REPORT_PAGE_H
#define TRIAL_REPORT_PAGE_H

#include "trial/report/doc.h"

/* Adds the whole page. The same tally and settings give the same bytes: it has no date of its own. */
void page_write(struct buf *out, const struct doc_source *s);

#endif
