/* Rates for the page. */
#include "bench/report/html.h"

#include <math.h>

struct cell html_rate(struct rate r)
{
	double share = r.n ? (double)r.k / (double)r.n : 0;

	if (r.n == 0)
		return cell_printf(HTML_NONE);
	if (r.k == 0 || r.k >= r.n)
		return cell_printf("%s" HTML_SPACE "%%", r.k ? "100" : "0");
	return cell_printf("%s" HTML_SPACE "%%", share >= 0.9995 ? HTML_MORE "99.9" : share < 0.0005 ? HTML_LESS "0.1" :
			     cell_share(share).text);
}

struct cell html_interval(struct interval i)
{
	if (!isfinite(i.low) || !isfinite(i.high))
		return cell_printf(HTML_NONE);
	return cell_printf("%s" HTML_NONE "%s" HTML_SPACE "%%", cell_share(i.low).text, cell_share(i.high).text);
}
