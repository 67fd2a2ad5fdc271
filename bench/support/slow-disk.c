/*
 * A slow disk, for LD_PRELOAD: each flush takes FLUSH_DELAY_US microseconds longer. SQLite in Node and Node's own
 * file functions both flush through the C library, so both meet it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int (*flush_function)(int descriptor);

static int flush_slowly(const char *name, int descriptor) {
  const char *delay = getenv("FLUSH_DELAY_US");
  long microseconds = delay == NULL ? 0 : atol(delay);
  struct timespec pause = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (nanosleep(&pause, &pause) != 0) {
  }
  return ((flush_function)dlsym(RTLD_NEXT, name))(descriptor);
}

int fsync(int descriptor) { return flush_slowly("fsync", descriptor); }

int fdatasync(int descriptor) { return flush_slowly("fdatasync", descriptor); }
