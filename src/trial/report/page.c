/* Tables of the page. */
#include "trial/report/page.h"

void page_write(struct buf *out, const struct doc_source *s)
{
	(void)out;
	(void)s;
}
