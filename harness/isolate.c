/* SPDX-License-Identifier: MIT */
/* Forked work. */
#include "isolate.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Wall time after which a child is blocked rather than busy: CPU-bound hangs end earlier. */
enum { BLOCKED_SECONDS = 20, NOBODY = HN_MAX_VARIANTS };

typedef struct shared {
    size_t running; /* variant */
    bool done;
    hn_result results[HN_MAX_VARIANTS];
} shared;

typedef struct watch {
    shared *of;
    const hn_plan *plan;
} watch;

static void note(void *context, const hn_variant *variant)
{
    const watch *w = context;
    w->of->running = (size_t)(variant - w->plan->variants);
}

void hn_isolated_run(void *context, hn_runner *runner, const hn_plan *plan, const hn_case *c,
                     hn_result *results)
{
    (void)context;
    hn_group_run(runner, plan, c, results);
}

static void bury(const shared *s, const hn_plan *plan, int status, hn_result *results)
{
    memset(results, 0, plan->nvariants * sizeof *results);
    for (size_t i = 0; i < plan->nvariants; i++) {
        if (i != s->running)
            hn_record(&results[i], HN_SKIP, HN_CHECK_NONE, "the process died in another variant");
        else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
            hn_record(&results[i], HN_HANG, HN_CHECK_HANG,
                      "no return within its time, nor within %d seconds", BLOCKED_SECONDS);
        else if (WIFSIGNALED(status))
            hn_record(&results[i], HN_CRASH, HN_CHECK_CRASH, "the process died of signal %d",
                      WTERMSIG(status));
        else
            hn_record(&results[i], HN_CRASH, HN_CHECK_CRASH, "the process ended with status %d",
                      WEXITSTATUS(status));
    }
}

static void child(hn_isolated *work, void *context, const hn_plan *plan, const hn_case *c,
                  unsigned ticks, shared *s)
{
    watch w = { s, plan };
    hn_runner *runner = hn_runner_new();
    hn_call_init();
    alarm(BLOCKED_SECONDS + ticks / 10);
    hn_runner_announce(runner, note, &w);
    hn_runner_ticks(runner, ticks);
    work(context, runner, plan, c, s->results);
    s->done = fflush(NULL) == 0;
    _exit(0);
}

void hn_isolate(hn_isolated *work, void *context, const hn_plan *plan, const hn_case *c,
                unsigned ticks, hn_result *results)
{
    int status = 0;
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(NULL);
    const pid_t pid = s == MAP_FAILED ? -1 : fork();
    if (pid < 0) {
        perror("ckparity: fork");
        exit(1);
    }
    if (pid == 0) {
        s->running = NOBODY;
        child(work, context, plan, c, ticks, s);
    }
    waitpid(pid, &status, 0);
    if (s->done)
        memcpy(results, s->results, plan->nvariants * sizeof *results);
    else
        bury(s, plan, status, results);
    munmap(s, sizeof *s);
}
