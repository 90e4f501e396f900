/* Preloaded into a program, it moves the program's wall clock by as many seconds as the file
   $WALL_CLOCK holds (a long), from the moment when that is written. Other clocks run on.

   Debian's libfaketime can do it as well, but lets Python's time.sleep fail (it takes the wall
   clock's time from a moment of the monotonic clock). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long *moved_by;

__attribute__((constructor)) static void open_file(void) {
  const char *path = getenv("WALL_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *content = mmap(NULL, sizeof *moved_by, PROT_READ, MAP_SHARED, file, 0);
  if (content != MAP_FAILED) moved_by = content;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (!failed && moved_by != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += *moved_by;
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  now->tv_sec = found.tv_sec;
  now->tv_usec = found.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *seconds) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (seconds != NULL) *seconds = found.tv_sec;
  return found.tv_sec;
}
