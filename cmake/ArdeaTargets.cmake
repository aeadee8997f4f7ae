# One CMake target a folder: the link graph is the architecture.
#
#   ardea_library(arith [COLD] USES ir [FOLDERS parts] [PRIVATE libraries only the .cc files need])
#
# compiles every .cc file of the folder and of its FOLDERS into ardea_arith, which links the ardea_<name> of each folder it uses.
# COLD: nothing in it runs for long, and to optimise it (readers and writers of JSON) takes longer than it saves.

add_library(ardea_options INTERFACE)
target_compile_options(ardea_options INTERFACE -Wall -Wextra)
if(ARDEA_WERROR)
  target_compile_options(ardea_options INTERFACE -Werror)
endif()
if(ARDEA_SANITIZE)
  target_compile_options(ardea_options INTERFACE -fsanitize=${ARDEA_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(ardea_options INTERFACE -fsanitize=${ARDEA_SANITIZE})
endif()
# Programs of this project allocate with jemalloc where it is installed: proofs and schedules are made of small nodes, and
# spaces take a sixth less time. Never the libraries, whose users choose for themselves, nor sanitizers, which have their own.
if(NOT ARDEA_SANITIZE)
  find_package(Jemalloc QUIET)
endif()
if(Jemalloc_FOUND)
  # Nothing calls it by a name that is its own, so a linker that leaves out what is not needed would.
  set(needed -Wl,--push-state,--no-as-needed ${JEMALLOC_LIBRARY} -Wl,--pop-state)
  target_link_libraries(ardea_options INTERFACE "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${needed}>")
else()
  message(STATUS "Programs allocate with the C library's malloc: jemalloc is not installed, or a sanitizer has its own")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 has false positives for these under -O2 and above.
  target_compile_options(ardea_options INTERFACE -Wno-maybe-uninitialized -Wno-dangling-pointer -Wno-stringop-overflow
                                                -Wno-stringop-overread -Wno-array-bounds -Wno-restrict)
  # Notes about how GCC 10 passed pairs of numbers concern nobody who builds all with one compiler.
  target_compile_options(ardea_options INTERFACE -Wno-psabi)
endif()

function(ardea_library name)
  cmake_parse_arguments(ARG "COLD" "" "USES;FOLDERS;PUBLIC;PRIVATE" ${ARGN})
  list(TRANSFORM ARG_FOLDERS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1/*.cc")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc ${ARG_FOLDERS})
  add_library(ardea_${name} STATIC ${sources})
  target_include_directories(ardea_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM ARG_USES PREPEND ardea_)
  target_link_libraries(ardea_${name} PUBLIC ${ARG_USES} ${ARG_PUBLIC}
                                      PRIVATE $<BUILD_INTERFACE:ardea_options> ${ARG_PRIVATE})
  if(ARG_COLD)
    target_compile_options(ardea_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  # One precompiled header for all: reading the standard library is a third of the time that a small file takes.
  if(name STREQUAL "support")
    target_precompile_headers(ardea_support PRIVATE <fmt/core.h> <algorithm> <functional> <map> <memory> <optional>
                                                    <string> <unordered_map> <unordered_set> <variant> <vector>)
  else()
    target_precompile_headers(ardea_${name} REUSE_FROM ardea_support)
  endif()
  # What the tests share among themselves stays here.
  cmake_path(SET folders ${PROJECT_SOURCE_DIR}/ardea)
  cmake_path(IS_PREFIX folders ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE installed)
  if(installed)
    set_target_properties(ardea_${name} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS ardea_${name} EXPORT ArdeaLibraries)
  endif()
endfunction()
