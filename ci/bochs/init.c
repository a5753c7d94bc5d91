/* SPDX-License-Identifier: MIT */
/* First process of the guest: runs the NUL-separated command of /command, sends what it prints, then
 * a last line with its exit status, to the host through the parallel port, and ends Bochs. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT = 0x378, SHUTDOWN = 0x8900, ARGUMENTS_MAX = 250 };

static void send_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        outb((unsigned char)text[i], PORT);
        outb(0x0d, PORT + 2); /* strobe */
        outb(0x0c, PORT + 2);
    }
}

static void run(int out)
{
    static char text[1 << 16], *argument[ARGUMENTS_MAX + 1];
    char *environment[] = { NULL };
    const int file = open("/command", O_RDONLY);
    const ssize_t length = read(file, text, sizeof text);
    int count = 0;
    for (ssize_t i = 0; i < length && count < ARGUMENTS_MAX; i++)
        if (i == 0 || text[i - 1] == '\0') argument[count++] = &text[i];
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execve(argument[0], argument, environment);
    perror(argument[0]);
    _exit(127);
}

int main(void)
{
    char text[4096], last = '\n';
    ssize_t length;
    int ends[2], status = 0;
    mkdir("/proc", 0755);
    mount("proc", "/proc", "proc", 0, NULL);
    mkdir("/sys", 0755);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    mkdir("/dev", 0755);
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    mkdir("/tmp", 0777);
    open("/dev/null", O_RDWR);
    dup2(0, 1);
    dup2(0, 2);
    if (pipe(ends) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) run(ends[1]);
    close(ends[1]);
    if (ioperm(PORT, 3, 1) != 0 || ioperm(SHUTDOWN, 1, 1) != 0) return 1;
    while ((length = read(ends[0], text, sizeof text)) > 0) {
        send_text(text, (size_t)length);
        last = text[length - 1];
    }
    waitpid(child, &status, 0);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (last != '\n') send_text("\n", 1);
    send_text(text, (size_t)snprintf(text, sizeof text, "exit %d\n", status));
    for (const char *word = "Shutdown"; *word; word++) outb((unsigned char)*word, SHUTDOWN);
    for (;;) pause();
}
