/*
 * The program that the kernel runs before each system call of the command. It looks at numbers and at arguments that
 * are numbers, never at memory, and asks the process outside about what is in its table; the rest is allowed. A call
 * that it always allows, whatever its arguments, costs nothing: the kernel finds these out when it is loaded.
 */
#include "proc/sandbox/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"

#define FILTER_NAMESPACES \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define FILTER_NEWTIME 0x80     /* of unshare; for clone it is a bit of the signal */
#define FILTER_TIOCSTI 0x5412   /* types into a terminal */
#define FILTER_TIOCLINUX 0x541c /* likewise, on the console */
#define FILTER_ROW_MOST 7       /* instructions */

#define ALWAYS(name) { .nr = SYS_##name, .call = #name }

/* Numbers that all architectures share, of calls that are newer than some C libraries. */
#define SYS_open_tree_attr_ 467

/* Refused at any level, but for those with a function that looks closer (watch_linux.c). */
static const struct sandbox_call filter_calls[] = {
	ALWAYS(ptrace),
	ALWAYS(process_vm_readv),
	ALWAYS(process_vm_writev),
	ALWAYS(pidfd_getfd),
	ALWAYS(kcmp),
	ALWAYS(mount),
	ALWAYS(umount2),
	ALWAYS(pivot_root),
	ALWAYS(chroot),
	ALWAYS(move_mount),
	ALWAYS(open_tree),
	ALWAYS(fsopen),
	ALWAYS(fsconfig),
	ALWAYS(fsmount),
	ALWAYS(fspick),
	ALWAYS(mount_setattr),
	{ .nr = SYS_open_tree_attr_, .call = "open_tree_attr" },
	ALWAYS(setns),
	ALWAYS(clock_settime),
	ALWAYS(clock_adjtime),
	ALWAYS(adjtimex),
	ALWAYS(settimeofday),
	ALWAYS(init_module),
	ALWAYS(finit_module),
	ALWAYS(delete_module),
	ALWAYS(kexec_load),
	ALWAYS(kexec_file_load),
	ALWAYS(reboot),
	ALWAYS(swapon),
	ALWAYS(swapoff),
	ALWAYS(acct),
	ALWAYS(sethostname),
	ALWAYS(setdomainname),
	ALWAYS(syslog),
	ALWAYS(quotactl),
	ALWAYS(bpf),
	ALWAYS(keyctl),
	ALWAYS(add_key),
	ALWAYS(request_key),
	ALWAYS(perf_event_open),
	ALWAYS(io_uring_setup),
	ALWAYS(io_uring_enter),
	ALWAYS(io_uring_register),
	ALWAYS(userfaultfd),
	ALWAYS(fanotify_init),
	ALWAYS(open_by_handle_at),
	{ .nr = SYS_unshare, .call = "unshare", .test = SANDBOX_ANY_BIT, .value = FILTER_NAMESPACES | FILTER_NEWTIME },
	{ .nr = SYS_clone, .call = "clone", .test = SANDBOX_ANY_BIT, .value = FILTER_NAMESPACES },
	/* its flags are in memory; the C libraries go on with clone */
	{ .nr = SYS_clone3, .call = "clone3", .test = SANDBOX_ABSENT },
	{ .nr = SYS_ioctl, .call = "ioctl", .test = SANDBOX_EQUALS, .arg = 1, .value = FILTER_TIOCSTI },
	{ .nr = SYS_ioctl, .call = "ioctl", .test = SANDBOX_EQUALS, .arg = 1, .value = FILTER_TIOCLINUX },
	{ .nr = SYS_socket, .call = "socket", .look = sandbox_look_at_socket },
	{ .nr = SYS_socketpair, .call = "socketpair", .strict = true, .look = sandbox_look_at_socket },
	{ .nr = SYS_connect, .call = "connect", .look = sandbox_look_at_connect },
	{ .nr = SYS_bind, .call = "bind", .look = sandbox_look_at_bind },
	{ .nr = SYS_listen, .call = "listen", .strict = true, .look = sandbox_look_at_listen },
	/* Landlock does not see a connection that begins with what is sent */
	{ .nr = SYS_sendto, .call = "sendto", .test = SANDBOX_ANY_BIT, .arg = 3, .value = MSG_FASTOPEN,
	  .strict = true },
	{ .nr = SYS_sendmsg, .call = "sendmsg", .test = SANDBOX_ANY_BIT, .arg = 2, .value = MSG_FASTOPEN,
	  .strict = true },
	{ .nr = SYS_sendmmsg, .call = "sendmmsg", .test = SANDBOX_ANY_BIT, .arg = 3, .value = MSG_FASTOPEN,
	  .strict = true },
	{ .nr = SYS_sendto, .call = "sendto", .test = SANDBOX_POINTER, .arg = 4, .loose = true,
	  .look = sandbox_look_at_sendto },
};

/* ---- the program ---- */

struct program {
	struct sock_filter list[COUNT(filter_calls) * FILTER_ROW_MOST + 16];
	unsigned short count;
};

static void program_add(struct program *p, uint16_t code, uint32_t value, uint8_t yes, uint8_t no)
{
	assert(p->count < COUNT(p->list));
	p->list[p->count++] = (struct sock_filter){ code, yes, no, value };
}

/* An architecture of ours has the low half of an argument first. */
static uint32_t program_place_of(unsigned arg, bool high)
{
	return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * arg + (high ? 4 : 0));
}

static void program_load(struct program *p, uint32_t place)
{
	program_add(p, BPF_LD | BPF_W | BPF_ABS, place, 0, 0);
}

/* Where the test says no, the next row follows. */
static void program_add_call(struct program *p, const struct sandbox_call *c)
{
	unsigned short jump;

	program_load(p, offsetof(struct seccomp_data, nr));
	jump = p->count;
	program_add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)c->nr, 0, 0);
	if (c->test == SANDBOX_ANY_BIT || c->test == SANDBOX_EQUALS) {
		program_load(p, program_place_of(c->arg, false));
		program_add(p, BPF_JMP | BPF_K | (c->test == SANDBOX_EQUALS ? BPF_JEQ : BPF_JSET), c->value, 0, 1);
	} else if (c->test == SANDBOX_POINTER) {
		program_load(p, program_place_of(c->arg, false));
		program_add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
		program_load(p, program_place_of(c->arg, true));
		program_add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
	}
	program_add(p, BPF_RET | BPF_K, c->test == SANDBOX_ABSENT ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_USER_NOTIF,
		    0, 0);
	assert(p->count - jump < FILTER_ROW_MOST); /* the load stands before it */
	p->list[jump].jf = (uint8_t)(p->count - jump - 1);
}

/* Calls of another architecture have other numbers: all of them are asked about, and refused. */
static void program_make(struct program *p, bool strict)
{
	p->count = 0;
	program_load(p, offsetof(struct seccomp_data, arch));
	program_add(p, BPF_JMP | BPF_JEQ | BPF_K, cpu_audit_arch(), 1, 0);
	program_add(p, BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, 0, 0);
	program_load(p, offsetof(struct seccomp_data, nr));
	program_add(p, BPF_JMP | BPF_JGE | BPF_K, SANDBOX_X32, 0, 1);
	program_add(p, BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, 0, 0);
	for (size_t i = 0; i < COUNT(filter_calls); i++)
		if (strict ? !filter_calls[i].loose : !filter_calls[i].strict)
			program_add_call(p, &filter_calls[i]);
	program_add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

int sandbox_filter_load(bool strict)
{
	struct program p;
	struct sock_fprog loaded = { .filter = p.list };
	unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	long fd;

	program_make(&p, strict);
	loaded.len = p.count;
	/* older kernels do not know that only a deadly signal may disturb the question */
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SANDBOX_WAIT_KILLABLE, &loaded);
	if (fd < 0 && errno == EINVAL)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &loaded);
	return (int)fd;
}

const struct sandbox_call *sandbox_filter_find(const struct seccomp_data *d, bool strict)
{
	static const struct sandbox_call x32 = { .call = "x32" }, foreign = { .call = "foreign" };

	if (d->arch != cpu_audit_arch())
		return &foreign;
	if ((uint32_t)d->nr >= SANDBOX_X32)
		return &x32;
	for (size_t i = 0; i < COUNT(filter_calls); i++)
		if (filter_calls[i].nr == d->nr && (strict ? !filter_calls[i].loose : !filter_calls[i].strict))
			return &filter_calls[i];
	return &foreign; /* not asked about: refused */
}
