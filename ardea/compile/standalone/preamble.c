#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity, where there are threads */
#endif
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One copy for a whole program: however many kernels are linked into it, the linker keeps one definition of each
 * part. Nothing of it is seen from outside. */
#if defined(__GNUC__)
#define ARDEA_SHARED __attribute__((weak, visibility("hidden")))
#define ARDEA_EXPORTED __attribute__((visibility("default")))
#define ARDEA_EXPORTED_WEAK __attribute__((weak, visibility("default")))
#else
#error "compile this file with gcc, clang or a compiler that has their attributes"
#endif
