# Gecode ships neither a CMake package nor a pkg-config file in Debian 12.
find_path(GECODE_INCLUDE_DIR gecode/int.hh)
find_library(GECODE_KERNEL_LIBRARY gecodekernel)
find_library(GECODE_INT_LIBRARY gecodeint)
find_library(GECODE_SEARCH_LIBRARY gecodesearch)
find_library(GECODE_SUPPORT_LIBRARY gecodesupport)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Gecode DEFAULT_MSG GECODE_INT_LIBRARY GECODE_KERNEL_LIBRARY GECODE_SEARCH_LIBRARY
                                  GECODE_SUPPORT_LIBRARY GECODE_INCLUDE_DIR)
if(Gecode_FOUND AND NOT TARGET Gecode::Gecode)
  add_library(Gecode::Gecode INTERFACE IMPORTED)
  set_target_properties(Gecode::Gecode PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${GECODE_INCLUDE_DIR}
                        INTERFACE_LINK_LIBRARIES "${GECODE_SEARCH_LIBRARY};${GECODE_INT_LIBRARY};${GECODE_KERNEL_LIBRARY};${GECODE_SUPPORT_LIBRARY}")
endif()
