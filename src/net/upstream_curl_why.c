#include "net/upstream_curl.h"

#include <stdio.h>
#include <string.h>

static void explain_certificate(const struct curl_call *c, char *out)
{
	static const char problem[] = "SSL certificate problem: ";
	const char *found = strstr(c->error, problem);

	if (found)
		snprintf(out, CURL_WHY_MAX, "the certificate is not trusted: %s (SSL_CERT_FILE may name a file of "
			 "authorities to trust)", found + sizeof(problem) - 1);
	else if (strstr(c->error, "target host name"))
		snprintf(out, CURL_WHY_MAX, "the certificate is not trusted: it is for another host");
	else
		snprintf(out, CURL_WHY_MAX, "the certificate is not trusted: %s", c->error);
}

/* No connection came about. */
static void explain_refusal(const struct curl_call *c, CURLcode code, char *out)
{
	const char *through = c->has_proxy ? "through the proxy of the environment: " : "";
	const char *file = c->state->ca_file, *dir = c->state->ca_dir;
	long errnum = 0;

	curl_easy_getinfo(c->easy, CURLINFO_OS_ERRNO, &errnum);
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		explain_certificate(c, out);
	else if (code == CURLE_COULDNT_RESOLVE_HOST)
		snprintf(out, CURL_WHY_MAX, "no address of this name was found");
	else if (code == CURLE_SSL_CACERT_BADFILE)
		snprintf(out, CURL_WHY_MAX, "the authorities to trust cannot be read from %s%s%s; look at "
			 "SSL_CERT_FILE and SSL_CERT_DIR", file ? file : "", file && dir ? " and " : "",
			 dir ? dir : "");
	else if (code == CURLE_COULDNT_CONNECT && errnum != 0)
		snprintf(out, CURL_WHY_MAX, "%s%s", through, uv_strerror(-(int)errnum));
	else
		snprintf(out, CURL_WHY_MAX, "%s%s", through, c->error[0] ? c->error : curl_easy_strerror(code));
}

enum upstream_failure upstream_curl_explain(const struct curl_call *c, CURLcode code, char out[CURL_WHY_MAX])
{
	curl_off_t began = 0;

	if (c->bad || c->is_silent) {
		snprintf(out, CURL_WHY_MAX, "%s", c->bad ? c->bad : "no byte of an answer in time");
		return c->bad ? UPSTREAM_CUT : UPSTREAM_LATE;
	}
	curl_easy_getinfo(c->easy, CURLINFO_PRETRANSFER_TIME_T, &began);
	began += c->tunnel != NULL;
	if (began == 0 && code == CURLE_OPERATION_TIMEDOUT) {
		snprintf(out, CURL_WHY_MAX, "%sno answer to connecting", c->has_proxy ?
			 "through the proxy of the environment: " : "");
		return UPSTREAM_LATE;
	}
	if (began == 0) {
		explain_refusal(c, code, out);
		return UPSTREAM_REFUSED;
	}
	if (code == CURLE_OK || code == CURLE_GOT_NOTHING)
		snprintf(out, CURL_WHY_MAX, "closed the connection without an answer");
	else
		snprintf(out, CURL_WHY_MAX, "broke off: %s", c->error[0] ? c->error : curl_easy_strerror(code));
	return UPSTREAM_CUT;
}
