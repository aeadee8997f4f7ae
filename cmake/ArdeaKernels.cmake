# Programs compiled by Ardea as libraries of this project:
#
#   ardea_add_kernel(NAME FILE gemm.tir           a program in text form, or
#                         OP gemm SHAPE 64,64,64  an operator and its sizes
#                    [SCHEDULE gemm_steps.py]     its steps: a file, `recipe` or `none`; where left out, the recipe
#                                                 of an operator, and a program as it is written
#                    [TARGET avx2]                the machine to compile for; this one where left out
#                    [PREFIX my_]                 before the names of the C functions; ardea_ where left out
#                    [OPTIONS …])                 more of `ardea compile --help`: --best --db FILE for what was tuned
#
# makes the static library NAME, compiled anew whenever the program or its schedule changes. Who links it finds
# "NAME.h". Files are those of the source folder that calls.

# The path in `variable` as an absolute one, of the source folder. It must be there, or be made by this build.
function(ardea_source_file name keyword variable)
  set(path ${${variable}})
  cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  get_source_file_property(generated ${path} GENERATED)
  if(NOT EXISTS ${path} AND NOT generated)
    message(FATAL_ERROR "ardea_add_kernel(${name}): ${keyword} ${${variable}}: there is no file ${path}; paths are "
                        "relative to the source folder")
  endif()
  set(${variable} ${path} PARENT_SCOPE)
endfunction()

function(ardea_add_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "FILE;OP;SHAPE;SCHEDULE;TARGET;PREFIX" "OPTIONS")
  list(REMOVE_ITEM ARG_KEYWORDS_MISSING_VALUES PREFIX)
  if(ARG_UNPARSED_ARGUMENTS OR ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "ardea_add_kernel(${name}): cannot use ${ARG_UNPARSED_ARGUMENTS} ${ARG_KEYWORDS_MISSING_VALUES}; "
                        "write FILE program.tir, or OP name SHAPE sizes, then SCHEDULE, TARGET, PREFIX or OPTIONS with a value "
                        "each")
  endif()
  set(depends Ardea::compiler)
  if(ARG_FILE AND NOT ARG_OP AND NOT ARG_SHAPE)
    ardea_source_file(${name} FILE ARG_FILE)
    set(program ${ARG_FILE})
    list(APPEND depends ${ARG_FILE})
  elseif(ARG_OP AND ARG_SHAPE AND NOT ARG_FILE)
    set(program ${ARG_OP} ${ARG_SHAPE})
  else()
    message(FATAL_ERROR "ardea_add_kernel(${name}): write either FILE program.tir or OP name SHAPE sizes")
  endif()
  if(ARG_SCHEDULE)
    if("--schedule" IN_LIST ARG_OPTIONS)
      message(FATAL_ERROR "ardea_add_kernel(${name}): it has two schedules, by SCHEDULE and among its OPTIONS; leave "
                          "the one in OPTIONS out")
    endif()
    if(NOT ARG_SCHEDULE MATCHES "^(none|recipe)$")
      ardea_source_file(${name} SCHEDULE ARG_SCHEDULE)
      list(APPEND depends ${ARG_SCHEDULE})
    endif()
    list(APPEND ARG_OPTIONS --schedule ${ARG_SCHEDULE})
  endif()
  if(ARG_TARGET)
    list(APPEND ARG_OPTIONS --target ${ARG_TARGET})
  elseif(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "ardea_add_kernel(${name}): this project is built for another machine; say which with TARGET "
                        "(`ardea target --list`)")
  endif()
  set(prefix ardea_)
  if("PREFIX" IN_LIST ARGN)  # an empty one does not define ARG_PREFIX
    set(prefix "${ARG_PREFIX}")
  endif()

  # The project's own compiler where its path can be handed over.
  set(environment "")
  if(CMAKE_C_COMPILER AND NOT CMAKE_C_COMPILER MATCHES " ")
    set(environment ${CMAKE_COMMAND} -E env "ARDEA_CC=${CMAKE_C_COMPILER}")
    if(CMAKE_C_COMPILER_TARGET)
      set(environment ${CMAKE_COMMAND} -E env "ARDEA_CC=${CMAKE_C_COMPILER} --target=${CMAKE_C_COMPILER_TARGET}")
    endif()
  endif()

  # What a user has tuned must not change what a project builds, unless the project says so.
  if(NOT "--best" IN_LIST ARG_OPTIONS)
    list(APPEND ARG_OPTIONS --no-db)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.kernel)
  add_custom_command(
    OUTPUT ${folder}/${name}.o ${folder}/${name}.h
    BYPRODUCTS ${folder}/${name}.json
    COMMAND ${environment} $<TARGET_FILE:Ardea::compiler> compile ${program} -o ${folder} --name ${name} --only o,h
            --prefix "${prefix}" ${ARG_OPTIONS}
    DEPENDS ${depends}
    COMMENT "Compiling the kernel ${name} by Ardea"
    VERBATIM)
  add_library(${name} STATIC ${folder}/${name}.o ${folder}/${name}.h)
  set_source_files_properties(${folder}/${name}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  else()
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
  target_include_directories(${name} INTERFACE ${folder})
  target_link_libraries(${name} INTERFACE Threads::Threads m)
endfunction()
