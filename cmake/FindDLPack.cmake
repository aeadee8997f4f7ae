# One header; Debian's package has no CMake file that every version keeps at the same place.
find_path(DLPACK_INCLUDE_DIR dlpack/dlpack.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DLPack DEFAULT_MSG DLPACK_INCLUDE_DIR)
if(DLPack_FOUND AND NOT TARGET DLPack::DLPack)
  add_library(DLPack::DLPack INTERFACE IMPORTED)
  set_target_properties(DLPack::DLPack PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${DLPACK_INCLUDE_DIR})
endif()
