#include "ardea/runtime/abi.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

/// The grant holds for all threads of the process.
int32_t ardea_request_tiles(void) {
#if defined(__x86_64__) && defined(__linux__)
  constexpr long arch_req_xcomp_perm = 0x1023, tile_data_component = 18;
  static const bool granted = syscall(SYS_arch_prctl, arch_req_xcomp_perm, tile_data_component) == 0;
  if (granted) return 0;
#endif
  ardea_set_error(
      "the operating system does not let this process use the tile registers (AMX); compile for a target "
      "without "
      "amx-tile");
  return 1;
}
