/* Asks the kernel twice: TCP_INFO of our own socket, and sock_diag for the socket at the other end. */
#include "net/peer.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h> /* has bytes_acked, which <netinet/tcp.h> does not; they cannot stand side by side */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STATE_CLOSED = 7 }; /* the kernel's number */

static bool info_get(int fd, struct tcp_info *out)
{
	socklen_t n = sizeof(*out);

	*out = (struct tcp_info){ 0 };
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, out, &n) == 0;
}

/* An address as the kernel's table of sockets has it. False: neither IPv4 nor IPv6. */
static bool address_fill(const struct sockaddr_storage *from, __be16 *port, __be32 *address)
{
	if (from->ss_family == AF_INET) {
		const struct sockaddr_in *v4 = (const struct sockaddr_in *)from;

		*port = v4->sin_port;
		memcpy(address, &v4->sin_addr, sizeof(v4->sin_addr));
		return true;
	}
	if (from->ss_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)from;

		*port = v6->sin6_port;
		memcpy(address, &v6->sin6_addr, sizeof(v6->sin6_addr));
		return true;
	}
	return false;
}

struct question {
	struct nlmsghdr head;
	struct inet_diag_req_v2 ask;
};

/* Asks for the socket at the other end: what is our peer's address is that one's own. */
static bool question_make(int fd, struct question *out)
{
	struct sockaddr_storage ours, theirs;
	socklen_t n = sizeof(ours), m = sizeof(theirs);

	*out = (struct question){ 0 };
	if (getsockname(fd, (struct sockaddr *)&ours, &n) != 0 || getpeername(fd, (struct sockaddr *)&theirs, &m) != 0)
		return false;
	out->head.nlmsg_len = sizeof(*out);
	out->head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	out->head.nlmsg_flags = NLM_F_REQUEST;
	out->ask.sdiag_family = (uint8_t)ours.ss_family;
	out->ask.sdiag_protocol = IPPROTO_TCP;
	out->ask.idiag_states = ~0u;
	out->ask.id.idiag_cookie[0] = out->ask.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	return address_fill(&theirs, &out->ask.id.idiag_sport, out->ask.id.idiag_src) &&
	       address_fill(&ours, &out->ask.id.idiag_dport, out->ask.id.idiag_dst);
}

/* A socket without a file: its process has closed it, or is no more. */
static bool is_orphan(int asked)
{
	union {
		struct nlmsghdr head;
		char bytes[1024];
	} answer;
	struct inet_diag_msg m;
	ssize_t n = recv(asked, &answer, sizeof(answer), MSG_DONTWAIT);

	if (n < (ssize_t)(NLMSG_HDRLEN + sizeof(m)) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return false;
	memcpy(&m, answer.bytes + NLMSG_HDRLEN, sizeof(m));
	return m.idiag_inode == 0;
}

bool peer_is_there(int fd)
{
	struct tcp_info info;
	struct question q;
	bool orphan;
	int asked;

	if (info_get(fd, &info) && info.tcpi_state == STATE_CLOSED)
		return false;
	if (!question_make(fd, &q))
		return true;
	asked = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (asked < 0)
		return true;
	orphan = send(asked, &q, sizeof(q), 0) == (ssize_t)sizeof(q) && is_orphan(asked);
	close(asked);
	return !orphan;
}

uint64_t peer_acked(int fd)
{
	struct tcp_info info;

	if (!info_get(fd, &info))
		return UINT64_MAX;
	return info.tcpi_bytes_acked ? info.tcpi_bytes_acked - 1 : 0; /* our SYN is counted */
}
