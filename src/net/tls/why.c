/* Why TLS failed, in plain words: what is wrong with a certificate, and what the handshake stopped at. */
#include "net/tls/private.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>

#include "base/arena.h"

enum { NAMES_SHOWN = 3, NAME_ROOM = 100, WHY_ROOM = 400 };

#define TRUST_IT " (SSL_CERT_FILE may name a file of authorities to trust)"
#define RENEW_IT " (the service must renew it, unless the clock of this machine is wrong)"
#define REPLACE_IT " (the service needs another certificate)"

void tls_blame(struct tls *t, const char *format, ...)
{
	va_list args;

	if (t->why)
		return;
	t->why = mem_alloc(WHY_ROOM);
	va_start(args, format);
	vsnprintf(t->why, WHY_ROOM, format, args);
	va_end(args);
}

/* ---- certificates ---- */

/* Text of a certificate, by whoever made it: what cannot be shown is a question mark. */
static void show(char out[NAME_ROOM], const void *p, size_t n)
{
	const unsigned char *from = p;

	if (n >= NAME_ROOM)
		n = NAME_ROOM - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = from[i] > 0x20 && from[i] < 0x7f ? (char)from[i] : from[i] == ' ' ? ' ' : '?';
	out[n] = '\0';
}

/* The common name, or else the organisation. */
static void show_name(char out[NAME_ROOM], const X509_NAME *name)
{
	static const int parts[] = { NID_commonName, NID_organizationName };

	show(out, "without a name", 14);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int at = X509_NAME_get_index_by_NID(name, parts[i], -1);

		if (at >= 0) {
			const ASN1_STRING *s = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));

			show(out, ASN1_STRING_get0_data(s), (size_t)ASN1_STRING_length(s));
			return;
		}
	}
}

static void show_day(char out[NAME_ROOM], const ASN1_TIME *time)
{
	struct tm day = { 0 };

	if (ASN1_TIME_to_tm(time, &day) != 1)
		show(out, "an unknown day", 14);
	else
		snprintf(out, NAME_ROOM, "%04d-%02d-%02d", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

/* False: it is no host's. */
static bool show_host(char out[NAME_ROOM], const GENERAL_NAME *g)
{
	const ASN1_STRING *s = g->type == GEN_DNS ? g->d.dNSName : g->type == GEN_IPADD ? g->d.iPAddress : NULL;
	int n = s ? ASN1_STRING_length(s) : 0;

	if (g->type == GEN_DNS)
		show(out, ASN1_STRING_get0_data(s), (size_t)n);
	return g->type == GEN_DNS || ((n == 4 || n == 16) && inet_ntop(n == 4 ? AF_INET : AF_INET6,
								       ASN1_STRING_get0_data(s), out, NAME_ROOM));
}

/* The hosts that a certificate is for, as far as there is room. False: it names none. */
static bool list_hosts(char *out, size_t room, const X509 *cert)
{
	GENERAL_NAMES *names = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
	int count = names ? sk_GENERAL_NAME_num(names) : 0, shown = 0;
	size_t n = 0;

	out[0] = '\0';
	for (int i = 0; i < count && shown < NAMES_SHOWN; i++) {
		const GENERAL_NAME *g = sk_GENERAL_NAME_value(names, i);
		char text[NAME_ROOM];

		if (!show_host(text, g))
			continue;
		n += (size_t)snprintf(out + n, n < room ? room - n : 0, "%s%s", shown ? ", " : "", text);
		if (n >= room)
			break;
		shown++;
	}
	GENERAL_NAMES_free(names);
	return shown > 0;
}

static void blame_host(struct tls *t, const X509 *cert)
{
	char hosts[NAMES_SHOWN * NAME_ROOM];

	if (list_hosts(hosts, sizeof(hosts), cert))
		tls_blame(t, "the certificate is not trusted: it is for another host: %s (ask for the service by a "
			  "name that is in it)", hosts);
	else
		tls_blame(t, "the certificate is not trusted: it names no host (alternative names count, that of the "
			  "subject does not)" REPLACE_IT);
}

enum shown { SHOW_NOTHING, SHOW_END, SHOW_START, SHOW_SUBJECT, SHOW_ISSUER };

/* What OpenSSL finds, and how we say it: `shown` stands between `why` and `rest`. */
static const struct fault {
	int error;
	enum shown shown;
	const char *why, *rest;
} faults[] = {
	{ X509_V_ERR_CERT_HAS_EXPIRED, SHOW_END, "it expired on ", RENEW_IT },
	{ X509_V_ERR_CERT_NOT_YET_VALID, SHOW_START, "it is not valid before ",
	  " (is the clock of this machine right?)" },
	{ X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, SHOW_NOTHING, "it is signed by itself", TRUST_IT },
	{ X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, SHOW_SUBJECT, "its authority is not known here: ", TRUST_IT },
	{ X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, SHOW_ISSUER, "its issuer is not known here: ", TRUST_IT },
	{ X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, SHOW_ISSUER, "its issuer is not known here: ", TRUST_IT },
	{ X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, SHOW_ISSUER, "its issuer is not known here: ", TRUST_IT },
	{ X509_V_ERR_INVALID_CA, SHOW_SUBJECT, "it may not sign others: ", REPLACE_IT },
	{ X509_V_ERR_INVALID_PURPOSE, SHOW_NOTHING, "it is not for servers", REPLACE_IT },
};

static void show_part(char out[NAME_ROOM], const X509 *cert, enum shown what)
{
	if (what == SHOW_END)
		show_day(out, X509_get0_notAfter(cert));
	else if (what == SHOW_START)
		show_day(out, X509_get0_notBefore(cert));
	else if (what == SHOW_SUBJECT)
		show_name(out, X509_get_subject_name(cert));
	else if (what == SHOW_ISSUER)
		show_name(out, X509_get_issuer_name(cert));
	else
		out[0] = '\0';
}

static void blame_certificate(struct tls *t, const X509 *cert, int error, bool issuer)
{
	const char *whose = issuer ? "the certificate of its issuer" : "the certificate";
	char text[NAME_ROOM];

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (faults[i].error == error) {
			show_part(text, cert, faults[i].shown);
			tls_blame(t, "%s is not trusted: %s%s%s", whose, faults[i].why, text, faults[i].rest);
			return;
		}
	tls_blame(t, "%s is not trusted: %s" REPLACE_IT, whose, X509_verify_cert_error_string(error));
}

int tls_verify(int good, X509_STORE_CTX *x)
{
	SSL *ssl = X509_STORE_CTX_get_ex_data(x, SSL_get_ex_data_X509_STORE_CTX_idx());
	struct tls *t = SSL_get_app_data(ssl);
	const X509 *cert = X509_STORE_CTX_get_current_cert(x);
	int error = X509_STORE_CTX_get_error(x);

	if (good || !cert)
		return good;
	if (error == X509_V_ERR_HOSTNAME_MISMATCH || error == X509_V_ERR_IP_ADDRESS_MISMATCH)
		blame_host(t, cert);
	else
		blame_certificate(t, cert, error, X509_STORE_CTX_get_error_depth(x) > 0 &&
				  error != X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN);
	return 0;
}

/* ---- handshakes ---- */

static const struct {
	int reason;
	const char *why;
} reasons[] = {
	{ SSL_R_WRONG_VERSION_NUMBER, "it does not speak TLS on this port" },
	{ SSL_R_HTTP_REQUEST, "it does not speak TLS on this port" },
	{ SSL_R_HTTPS_PROXY_REQUEST, "it does not speak TLS on this port" },
	{ SSL_R_UNSUPPORTED_PROTOCOL, "it speaks only versions of TLS that are no longer safe" },
	{ SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, "it speaks neither TLS 1.2 nor 1.3" },
	{ SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, "it refused the handshake: nothing it offers suits both sides" },
	{ SSL_R_TLSV1_UNRECOGNIZED_NAME, "it refused the handshake: it does not know this name" },
	{ SSL_R_TLSV1_ALERT_UNKNOWN_CA, "it refused the handshake: it does not know our authority" },
	{ SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, "it refused our certificate" },
	{ SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, "it refused our certificate" },
	{ SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, "it refused our certificate" },
	{ SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, "it wants a certificate of ours, and we have none" },
	{ SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL, "it refused the handshake: it does not speak HTTP/1.1" },
	{ SSL_R_NO_APPLICATION_PROTOCOL, "it does not speak HTTP/1.1" },
	{ SSL_R_TLSV1_ALERT_INTERNAL_ERROR, "it refused the handshake: an internal error of its own" },
	{ SSL_R_TLSV1_ALERT_ACCESS_DENIED, "it refused the handshake: access denied" },
	{ SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC, "what came was changed on its way" },
	{ SSL_R_UNEXPECTED_MESSAGE, "it broke the rules of TLS" },
};

static enum tls_fault fault_of(int reason)
{
	static const int distrust[] = {
		SSL_R_TLSV1_ALERT_UNKNOWN_CA, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,
		SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
	};

	for (size_t i = 0; i < sizeof(distrust) / sizeof(distrust[0]); i++)
		if (reason == distrust[i])
			return TLS_FAULT_DISTRUST;
	return reason == SSL_R_NO_APPLICATION_PROTOCOL || reason == SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL
		       ? TLS_FAULT_PROTOCOL
		       : TLS_FAULT_OTHER;
}

void tls_blame_queue(struct tls *t)
{
	unsigned long error = ERR_get_error();
	int reason = ERR_GET_REASON(error);
	const char *text = ERR_reason_error_string(error);

	ERR_clear_error();
	if (error && ERR_GET_LIB(error) == ERR_LIB_SSL)
		t->fault = fault_of(reason);
	for (size_t i = 0; error && ERR_GET_LIB(error) == ERR_LIB_SSL && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].reason == reason) {
			tls_blame(t, "%s", reasons[i].why);
			return;
		}
	tls_blame(t, t->ready ? "TLS broke: %s" : "the TLS handshake failed: %s", text ? text : "no reason is known");
}
