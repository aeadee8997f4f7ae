# What `cmake --install` writes beside the libraries: the program, the headers, the guide with its examples, and the
# package that find_package(Ardea) reads in another project (docs/linking.md).
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Ardea)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/ardea DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Two sets: who only compiles kernels needs none of the libraries' dependencies.
set_target_properties(ardea PROPERTIES EXPORT_NAME compiler)
install(TARGETS ardea EXPORT ArdeaCompiler)
install(EXPORT ArdeaCompiler NAMESPACE Ardea:: DESTINATION ${package})
install(EXPORT ArdeaLibraries NAMESPACE Ardea:: DESTINATION ${package})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ArdeaConfig.cmake.in ${PROJECT_BINARY_DIR}/ArdeaConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ArdeaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ArdeaConfig.cmake ${PROJECT_BINARY_DIR}/ArdeaConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/ArdeaKernels.cmake ${PROJECT_SOURCE_DIR}/cmake/FindDLPack.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindHwloc.cmake ${PROJECT_SOURCE_DIR}/cmake/FindGecode.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindXGBoost.cmake
        DESTINATION ${package})
