# find_package(treadle CONFIG) gives treadle::treadle (tasks), treadle::treadle_tree (array programs),
# treadle::treadle_parcel (programs of several processes), treadle::treadle_distributed (array programs of these) and
# treadle::treadle_ocr (the C interface of OCR).
if(TREADLE_PYTHON)
  return() # the wheel holds only the Python package
endif()
include(CMakePackageConfigHelpers)

install(DIRECTORY include/treadle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY include/treadle_ocr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
set(treadle_libraries treadle treadle_tree treadle_parcel treadle_distributed treadle_ocr)
install(TARGETS ${treadle_libraries} EXPORT treadle_targets)
install(TARGETS ${treadle_programs})
# Programs that mpirun starts load libtreadle_openmpi.so or libtreadle_mpich.so from there.
target_link_options(treadle_parcel INTERFACE "$<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}>")
add_custom_target(treadle_installed DEPENDS ${treadle_libraries} ${treadle_programs}) # without tests and benchmarks
install(EXPORT treadle_targets NAMESPACE treadle:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/treadle)
configure_package_config_file(cmake/treadleConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/treadleConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/treadle)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/treadleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/treadleConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/treadleConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/treadle)
