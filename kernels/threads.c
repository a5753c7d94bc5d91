/* SPDX-License-Identifier: MIT */
/* The pool of threads, and how many there are to be. */
#define _GNU_SOURCE
#include "threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

enum { DEFAULT_TERMS = 1 << 18 };

/* On the stack of the caller. The pool's lock guards what is not atomic. */
typedef struct job {
    ck_part_fn *run;
    const void *context;
    size_t parts;
    atomic_size_t next; /* the first part that nobody has taken */
    unsigned mxcsr;
    unsigned seats;  /* threads that may still join */
    unsigned inside; /* threads that have, and may be at a part */
} job;

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    pthread_t threads[CK_THREADS_MOST];
    unsigned count;
    job *job; /* NULL: there is none */
    bool stop;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER,
           .wake = PTHREAD_COND_INITIALIZER,
           .idle = PTHREAD_COND_INITIALIZER };
static atomic_flag busy = ATOMIC_FLAG_INIT; /* somebody has the pool */
static pthread_once_t watched = PTHREAD_ONCE_INIT;

static atomic_uint wanted = 1;
static atomic_size_t least_terms = DEFAULT_TERMS;

static void take_parts(job *j)
{
    for (;;) {
        const size_t part = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
        if (part >= j->parts) return;
        j->run(j->context, part);
    }
}

static void *help(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    while (!pool.stop) {
        job *const j = pool.job;
        if (!j || j->seats == 0) {
            pthread_cond_wait(&pool.wake, &pool.lock);
            continue;
        }
        j->seats--;
        j->inside++;
        pthread_mutex_unlock(&pool.lock);
        _mm_setcsr(j->mxcsr);
        take_parts(j);
        pthread_mutex_lock(&pool.lock);
        if (--j->inside == 0) pthread_cond_signal(&pool.idle);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* A child has the thread that called fork, and no other. */
static void before_fork(void) { pthread_mutex_lock(&pool.lock); }
static void in_parent(void) { pthread_mutex_unlock(&pool.lock); }
static void in_child(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.idle, NULL);
    pool.count = 0;
    pool.job = NULL;
    atomic_flag_clear(&busy);
}
static void watch_forks(void) { pthread_atfork(before_fork, in_parent, in_child); }

/* Signals of the process are for the program's own threads; faults are for who commits them. */
static void start_threads(unsigned count)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    while (pool.count < count && pthread_create(&pool.threads[pool.count], NULL, help, NULL) == 0)
        pool.count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A library that is closed must leave no thread in its text. */
__attribute__((destructor)) static void stop_threads(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.stop = true;
    pthread_cond_broadcast(&pool.wake);
    const unsigned count = pool.count;
    pool.count = 0;
    pthread_mutex_unlock(&pool.lock);
    for (unsigned i = 0; i < count; i++)
        if (!pthread_equal(pool.threads[i], pthread_self())) pthread_join(pool.threads[i], NULL);
}

static void share(job *j)
{
    pthread_once(&watched, watch_forks);
    pthread_mutex_lock(&pool.lock);
    if (pool.count < j->seats && !pool.stop) start_threads(j->seats);
    pool.job = j;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    take_parts(j);
    pthread_mutex_lock(&pool.lock);
    pool.job = NULL;
    while (j->inside > 0) pthread_cond_wait(&pool.idle, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

void ck_parallel(unsigned threads, size_t parts, ck_part_fn *run, const void *context)
{
    job j = { .run = run, .context = context, .parts = parts, .mxcsr = _mm_getcsr() };
    const bool alone = threads <= 1 || parts <= 1 || atomic_flag_test_and_set(&busy);
    if (alone) {
        take_parts(&j);
        return;
    }
    if (threads > CK_THREADS_MOST) threads = CK_THREADS_MOST;
    j.seats = (threads < parts ? threads : (unsigned)parts) - 1;
    share(&j);
    atomic_flag_clear(&busy);
}

unsigned ck_threads_for(double terms)
{
    const unsigned most = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (most == 1) return 1;
    const double each = (double)atomic_load_explicit(&least_terms, memory_order_relaxed);
    return terms >= each * most ? most : terms < 2 * each ? 1 : (unsigned)(terms / each);
}

void ck_set_thread_terms(size_t terms)
{
    atomic_store_explicit(&least_terms, terms ? terms : DEFAULT_TERMS, memory_order_relaxed);
}

/* The number of CK_NUM_THREADS, 0 if it is not set, -1 if it is none. */
static int count_of_environment(void)
{
    const char *const text = getenv("CK_NUM_THREADS");
    char *end;
    if (!text || !*text) return 0;
    if (strspn(text, "0123456789") != strlen(text)) return -1;
    errno = 0;
    const unsigned long n = strtoul(text, &end, 10);
    return errno || n < 1 || n > CK_THREADS_MOST ? -1 : (int)n;
}

ck_status ck_set_num_threads(int n)
{
    if (n == 0) n = count_of_environment();
    if (n == 0) n = ck_get_physical_cores();
    if (n < 1 || n > CK_THREADS_MOST) return CK_ERR_VALUE;
    atomic_store_explicit(&wanted, (unsigned)n, memory_order_relaxed);
    return CK_OK;
}

int ck_get_num_threads(void) { return (int)atomic_load_explicit(&wanted, memory_order_relaxed); }

/* The first CPU of the core that this one is of; itself where the system does not say. */
static unsigned core_of(unsigned cpu)
{
    char path[96];
    unsigned first = cpu;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
    FILE *const file = fopen(path, "r");
    if (!file) return cpu;
    if (fscanf(file, "%u", &first) != 1) first = cpu;
    fclose(file);
    return first;
}

int ck_get_physical_cores(void)
{
    cpu_set_t mine, cores;
    int count = 0;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &mine)) continue;
        const unsigned core = core_of(cpu);
        if (core >= CPU_SETSIZE || CPU_ISSET(core, &cores)) continue;
        CPU_SET(core, &cores);
        count++;
    }
    return count < 1 ? 1 : count > CK_THREADS_MOST ? CK_THREADS_MOST : count;
}
