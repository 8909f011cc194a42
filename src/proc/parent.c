/* Asked for first, looked at afterwards: the parent may end in between. */
#include "proc/parent.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

bool parent_bind(int pid)
{
	return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == pid;
}
