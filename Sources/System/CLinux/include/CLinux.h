// Linux calls that the Glibc module does not show: epoll, eventfd, signalfd, timer slack, affinity.
#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/types.h>

// epoll_pwait2 waits in nanoseconds; epoll_wait rounds to milliseconds. Negative: for ever.
int tb_epoll_wait(int epoll, struct epoll_event *events, int capacity, int64_t timeout_ns);

// Asks the kernel to wake this thread within `ns` of its timers (the default is 50 us).
int tb_set_timer_slack(unsigned long ns);

// Cores this process may run on by affinity; 0 when unknown.
int tb_affinity_cores(void);

// CPU time of the calling thread in nanoseconds.
uint64_t tb_thread_cpu_ns(void);

// CPU time of the process in nanoseconds.
uint64_t tb_process_cpu_ns(void);

// A name of up to 15 bytes for the calling thread, shown by top and gdb.
void tb_name_thread(const char *name);

// Blocks or unblocks SIGINT and SIGTERM in this thread and gives a descriptor that reads them.
int tb_signal_descriptor(void);

// Waits until the descriptor can be read: 1, or 0 when the time is over.
int tb_wait_readable(int descriptor, int64_t timeout_ns);

// The next signal waiting in the descriptor, or 0.
int tb_read_signal(int descriptor);
