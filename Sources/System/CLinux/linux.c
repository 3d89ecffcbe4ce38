#include "CLinux.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

int tb_epoll_wait(int epoll, struct epoll_event *events, int capacity, int64_t timeout_ns) {
    struct timespec limit;
    if (timeout_ns >= 0) {
        limit.tv_sec = timeout_ns / 1000000000;
        limit.tv_nsec = timeout_ns % 1000000000;
    }
    return epoll_pwait2(epoll, events, capacity, timeout_ns < 0 ? NULL : &limit, NULL);
}

int tb_set_timer_slack(unsigned long ns) { return prctl(PR_SET_TIMERSLACK, ns, 0, 0, 0); }

int tb_affinity_cores(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
    return CPU_COUNT(&set);
}

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t tb_thread_cpu_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

uint64_t tb_process_cpu_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

void tb_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int tb_signal_descriptor(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -1;
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int tb_wait_readable(int descriptor, int64_t timeout_ns) {
    struct pollfd request = {.fd = descriptor, .events = POLLIN};
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    return ppoll(&request, 1, &limit, NULL) > 0;
}

int tb_read_signal(int descriptor) {
    struct signalfd_siginfo info;
    ssize_t got = read(descriptor, &info, sizeof info);
    return got == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}
