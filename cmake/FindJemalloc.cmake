# jemalloc ships no CMake package.
find_library(JEMALLOC_LIBRARY jemalloc)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Jemalloc DEFAULT_MSG JEMALLOC_LIBRARY)
if(Jemalloc_FOUND AND NOT TARGET Jemalloc::Jemalloc)
  add_library(Jemalloc::Jemalloc UNKNOWN IMPORTED)
  set_target_properties(Jemalloc::Jemalloc PROPERTIES IMPORTED_LOCATION ${JEMALLOC_LIBRARY})
endif()
