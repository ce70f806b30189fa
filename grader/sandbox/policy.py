"""The system-call policy, as data: which calls the zygote and its children may make, and why.

Names are written once for all architectures; `build_filters` leaves out what one of them does not have.
The kernel runs the child's filter on top of the zygote's and takes the stricter answer, so a call of the
child has to be allowed by both; the child's policy is complete alone all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

ALL_BITS = (1 << 64) - 1


class Action(Enum):
    """What the kernel does with a call; the values are the words of the listing and of the tests."""

    ALLOW = "allow"
    EPERM = "EPERM"  # the call fails, the process goes on
    ENOSYS = "ENOSYS"  # as if the kernel did not know the call
    KILL = "kill"  # the whole process, by SIGSYS


@dataclass(frozen=True)
class Condition:
    """The argument at `index`, cut to `mask`, equals `value`; all 64 bits of the register count."""

    index: int
    name: str
    value: int
    mask: int = ALL_BITS

    def __str__(self) -> str:
        if self.mask == ALL_BITS:
            return f"{self.name} == {self.value}"
        return f"{self.name} & {self.mask:#x} == {self.value:#x}"


@dataclass(frozen=True)
class Call:
    """One system call and its fate; `when` holds alternatives, each a set of conditions that must all hold.

    Without alternatives the action is unconditional; a call that meets none of them gets the default action.
    """

    name: str
    why: str
    action: Action = Action.ALLOW
    when: tuple[tuple[Condition, ...], ...] = ()


@dataclass(frozen=True)
class Policy:
    """All calls that are decided by name; any other call gets `default`, a foreign architecture is killed."""

    name: str
    calls: tuple[Call, ...]
    default: Action = Action.EPERM


PROT_EXEC = 0x4
MAP_TYPE = 0x0F  # the bits that tell private, shared, shared-validate and droppable mappings apart
MAP_PRIVATE = 0x02
MAP_ANONYMOUS = 0x20
MAP_GROWSDOWN = 0x100
MAP_LOCKED = 0x2000
MAP_HUGETLB = 0x40000

SIGCHLD = 17
CLONE_CHILD_CLEARTID = 0x0020_0000
CLONE_CHILD_SETTID = 0x0100_0000

SECCOMP_SET_MODE_FILTER = 1

NOT_EXECUTABLE = Condition(2, "prot", 0, mask=PROT_EXEC)
PRIVATE_MEMORY = Condition(
    3,
    "flags",
    MAP_PRIVATE | MAP_ANONYMOUS,
    mask=MAP_TYPE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_LOCKED | MAP_HUGETLB,
)
# glibc's fork sets both thread-id flags and musl's none; every other flag makes threads, tracers or namespaces.
PLAIN_FORK = Condition(0, "flags", SIGCHLD, mask=ALL_BITS ^ (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))


def _descriptors(*numbers: int) -> tuple[tuple[Condition, ...], ...]:
    """One alternative for each descriptor that the call may name in its first argument."""
    return tuple((Condition(0, "fd", number),) for number in numbers)


# What a NumPy interpreter with one BLAS thread needs to compute, once everything is imported.
_COMPUTING = (
    Call(
        "mmap",
        "memory for arrays; shared or file-backed pages escape RLIMIT_AS",
        when=((NOT_EXECUTABLE, PRIVATE_MEMORY),),
    ),
    Call("mprotect", "growing malloc arenas; never executable", when=((NOT_EXECUTABLE,),)),
    Call("munmap", "memory given back"),
    Call("brk", "malloc's heap"),
    Call("mremap", "realloc of large blocks"),
    Call("madvise", "malloc trims, NumPy asks for huge pages"),
    Call("futex", "locks of the interpreter"),
    Call("rt_sigprocmask", "signal masks around fork and abort"),
    Call("rt_sigaction", "signal handlers; they stop no SIGKILL"),
    Call("rt_sigreturn", "return from a signal handler"),
    Call("sigaltstack", "faulthandler's stack"),
    Call("restart_syscall", "the kernel's own restart of an interrupted sleep"),
    Call("sched_yield", "spinning locks of OpenBLAS"),
    Call("sched_getaffinity", "number of usable cores, for os.cpu_count"),
    Call("nanosleep", "time.sleep; the deadline is the grader's"),
    Call("clock_nanosleep", "time.sleep; the deadline is the grader's"),
    Call("clock_gettime", "clocks, where the vDSO cannot answer"),
    Call("clock_getres", "time.get_clock_info"),
    Call("gettimeofday", "clocks, where the vDSO cannot answer"),
    Call("time", "clocks, where the vDSO cannot answer"),
    Call("times", "os.times, time.process_time"),
    Call("getrusage", "own use of time and memory"),
    Call("getpid", "own number"),
    Call("gettid", "own number, for recursive locks"),
    Call("getuid", "own user"),
    Call("geteuid", "own user"),
    Call("getgid", "own group"),
    Call("getegid", "own group"),
    Call("uname", "name of the kernel; platform and NumPy ask for it"),
    Call("sysinfo", "size of memory; qsort asks for it"),
    Call("getrandom", "seeds of generators, hash tables of malloc"),
    Call("rseq", "registration of per-thread data by glibc"),
    Call("membarrier", "memory order between threads"),
    Call("exit", "end"),
    Call("exit_group", "end"),
)

_ZYGOTE_PIPES = (
    Call("read", "control pipe, start-up"),
    Call("write", "control pipe, messages"),
    Call("writev", "control pipe, messages"),
)

_CHILD_PIPES = (
    Call("read", "questions arrive on 3 and nowhere else", when=_descriptors(3)),
    Call("write", "answers leave on 4, prints on 1 and 2", when=_descriptors(4, 1, 2)),
    Call("writev", "answers leave on 4, prints on 1 and 2", when=_descriptors(4, 1, 2)),
)

# Closing or renaming a descriptor would tear down the protocol; no honest submission has a reason to.
_CLOSING = (
    Call("close", "pipes of children that have ended"),
    Call("close_range", "a new child drops all descriptors but its own"),
    Call("dup2", "a new child moves its pipes to 3, 4, 1 and 2"),
    Call("dup3", "dup2 where an architecture lacks it"),
)

_FORKING = (
    Call("clone", "plain fork of a child", when=((PLAIN_FORK,),)),
    Call("set_robust_list", "glibc's first call in a new child"),
    Call("pipe2", "two pipes for each child"),
    Call("sendmsg", "hands descriptors to the grader"),
    Call("recvmsg", "requests on the control socket"),
    Call("sendto", "answers on the control socket"),
    Call("recvfrom", "requests on the control socket"),
    Call("poll", "waits for requests and ends"),
    Call("ppoll", "poll where an architecture lacks it"),
    Call("wait4", "reaps children"),
    Call("pidfd_open", "a handle on a child that is never reused"),
    Call("pidfd_send_signal", "ends one child"),
    Call("fcntl", "flags of descriptors"),
    Call("getppid", "a new child checks that its zygote still lives"),
    Call("setsid", "a new child leaves the zygote's session"),
    Call("sched_setaffinity", "pins the zygote and its children to one core"),
    Call("prlimit64", "limits of the calling process, tightened in each child", when=((Condition(0, "pid", 0),),)),
    Call("setresuid", "drops to the unprivileged user"),
    Call("setresgid", "drops to the unprivileged group"),
    Call("setgroups", "drops all further groups"),
    Call("capset", "drops all capabilities"),
    Call("prctl", "no_new_privs, parent-death signal, not dumpable, bounding set"),
    Call("landlock_create_ruleset", "the rule set that grants nothing"),
    Call("landlock_restrict_self", "second wall for files, TCP and signals"),
    Call(
        "seccomp",
        "a new child loads its own filter on top",
        when=((Condition(0, "operation", SECCOMP_SET_MODE_FILTER),),),
    ),
)

_FALL_BACK = (Call("clone3", "its flags lie in memory that no filter sees; libc falls back to clone", Action.ENOSYS),)

# No honest program comes near these; who does is ended at once.
_ATTACKS = tuple(
    Call(name, why, Action.KILL)
    for name, why in (
        ("ptrace", "reads and writes another process"),
        ("process_vm_readv", "reads another process"),
        ("process_vm_writev", "writes another process"),
        ("pidfd_getfd", "takes a descriptor out of another process"),
        ("io_uring_setup", "system calls that no filter sees"),
        ("io_uring_enter", "system calls that no filter sees"),
        ("io_uring_register", "system calls that no filter sees"),
        ("bpf", "code in the kernel"),
        ("perf_event_open", "kernel attack surface, side channels"),
        ("userfaultfd", "holds the kernel at a page fault, a tool of exploits"),
        ("keyctl", "the kernel's key store"),
        ("add_key", "the kernel's key store"),
        ("request_key", "the kernel's key store"),
        ("unshare", "new namespaces widen the kernel's attack surface"),
        ("setns", "enters another namespace"),
        ("mount", "changes the file tree"),
        ("move_mount", "changes the file tree"),
        ("fsopen", "changes the file tree"),
        ("open_tree", "changes the file tree"),
        ("pivot_root", "changes the file tree"),
        ("swapon", "changes the machine"),
        ("reboot", "changes the machine"),
        ("kexec_load", "replaces the kernel"),
        ("kexec_file_load", "replaces the kernel"),
        ("init_module", "code in the kernel"),
        ("finit_module", "code in the kernel"),
        ("delete_module", "removes code from the kernel"),
        ("iopl", "direct access to devices"),
        ("ioperm", "direct access to devices"),
    )
)

_TAMPERING = (
    *(replace(call, why="tears down the protocol; never honest", action=Action.KILL) for call in _CLOSING),
    Call("dup", "tears down the protocol; never honest", Action.KILL),
)

_ONLY_THE_ZYGOTE = tuple(replace(call, why="only the zygote", action=Action.EPERM, when=()) for call in _FORKING)

ZYGOTE = Policy("zygote", (*_ZYGOTE_PIPES, *_COMPUTING, *_CLOSING, *_FORKING, *_FALL_BACK, *_ATTACKS))
CHILD = Policy("child", (*_CHILD_PIPES, *_COMPUTING, *_ONLY_THE_ZYGOTE, *_FALL_BACK, *_TAMPERING, *_ATTACKS))
POLICIES = {policy.name: policy for policy in (ZYGOTE, CHILD)}
