/* Whole words over a socket that keeps them apart, each with at most one descriptor. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proc/sandbox/linux.h"

union channel_extra {
	struct cmsghdr header; /* for its alignment */
	char bytes[CMSG_SPACE(sizeof(int))];
};

bool sandbox_word_send(int channel, const struct sandbox_word *w, int fd)
{
	struct iovec part = { .iov_base = (void *)(uintptr_t)w, .iov_len = sizeof(*w) };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	union channel_extra extra = { .bytes = { 0 } };
	ssize_t n;

	if (fd >= 0) {
		struct cmsghdr *c;

		m.msg_control = extra.bytes;
		m.msg_controllen = sizeof(extra.bytes);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	do {
		n = sendmsg(channel, &m, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*w);
}

bool sandbox_word_receive(int channel, struct sandbox_word *out, int *fd)
{
	struct iovec part = { .iov_base = out, .iov_len = sizeof(*out) };
	union channel_extra extra = { .bytes = { 0 } };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = extra.bytes,
			    .msg_controllen = sizeof(extra.bytes) };
	struct cmsghdr *c;
	ssize_t n;

	*fd = -1;
	do {
		n = recvmsg(channel, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*out))
		return false;
	out->text[sizeof(out->text) - 1] = '\0';
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(c), sizeof(int));
	return true;
}

bool sandbox_word_fail(int channel, const char *step)
{
	struct sandbox_word w = { .kind = SANDBOX_WORD_FAILED, .number = errno };

	snprintf(w.text, sizeof(w.text), "%s", step);
	sandbox_word_send(channel, &w, -1);
	return false;
}
