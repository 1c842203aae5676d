# treadle_unite(NAME UNITE SOURCES PATTERN...): with UNITE the files of a folder are compiled together. Those that match
# a pattern are compiled alone: they have a name in an anonymous namespace that another file of the folder has, too.
function(treadle_unite name unite sources)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${unite} UNITY_BUILD_MODE GROUP)
  list(JOIN ARGN "|" alone)
  foreach(source IN LISTS sources)
    if(alone AND source MATCHES "${alone}")
      continue()
    endif()
    get_filename_component(folder ${source} ABSOLUTE)
    get_filename_component(folder ${folder} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# treadle_library(NAME AREAS a b ... LINK_PUBLIC ... LINK_PRIVATE ...)
#
# One library from the .cpp files of its areas under src/. Every x_test.cpp beside the sources goes into one test
# executable per area, NAME "<area>_test", registered with ctest.
#
# ALONE: patterns for treadle_unite().
function(treadle_library name)
  cmake_parse_arguments(LIB "" "" "AREAS;LINK_PUBLIC;LINK_PRIVATE;ALONE" ${ARGN})
  set(sources)
  foreach(area IN LISTS LIB_AREAS)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${area}/*.cpp)
    list(FILTER found EXCLUDE REGEX "_test\\.cpp$|_fuzzer\\.cpp$|/main\\.cpp$|/shim/")
    list(APPEND sources ${found})
  endforeach()
  add_library(${name} STATIC ${sources})
  add_library(treadle::${name} ALIAS ${name})
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${name} PUBLIC cxx_std_20)
  string(COMPARE EQUAL "${TREADLE_UNITY}" all unite)
  treadle_unite(${name} ${unite} "${sources}" ${LIB_ALONE})
  target_link_libraries(${name} PUBLIC ${LIB_LINK_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:treadle_options> ${LIB_LINK_PRIVATE})
  if(TREADLE_TESTS)
    foreach(area IN LISTS LIB_AREAS)
      file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${area}/*_test.cpp)
      if(tests)
        treadle_test(${area}_test SOURCES ${tests} LINK ${name})
      endif()
    endforeach()
  endif()
endfunction()

# All that ctest runs, without programs and benchmarks that it does not need.
add_custom_target(treadle_tests)

# treadle_shards(NAME EXECUTABLE COUNT [VARIABLE=VALUE...]): makes COUNT ctest tests, with the label "shard", of the
# test cases of an executable. `./dev test` runs these, for a process per case costs more than most cases, above all
# under sanitizers.
function(treadle_shards name executable count)
  math(EXPR last "${count} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}/shard_${shard} COMMAND ${executable})
    set_tests_properties(${name}/shard_${shard} PROPERTIES LABELS shard TIMEOUT 450
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${shard};${ARGN}")
  endforeach()
endfunction()

# treadle_test(NAME SOURCES ... LINK ...): a GoogleTest executable; each test case is a ctest test, too.
function(treadle_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINK" ${ARGN})
  if(NOT TARGET treadle_test_main)
    # gtest's header is the most expensive part of a test file: precompile it once.
    add_library(treadle_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/main.cpp)
    target_include_directories(treadle_test_main PRIVATE ${PROJECT_SOURCE_DIR}/include)
    find_package(rapidcheck REQUIRED)
    target_link_libraries(treadle_test_main PUBLIC GTest::gtest rapidcheck treadle_options)
    target_precompile_headers(treadle_test_main PUBLIC <gtest/gtest.h>)
    # Tests take half as long to compile as with the libraries' -O3, and nearly as long to run.
    target_compile_options(treadle_test_main PUBLIC $<$<CONFIG:Release>:-O1>)
    if(TREADLE_UNITY STREQUAL "tests")
      target_link_libraries(treadle_test_main PUBLIC treadle_unity_options)
    endif()
    set_target_properties(treadle_test_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  endif()
  add_executable(${name} ${TEST_SOURCES})
  string(COMPARE NOTEQUAL "${TREADLE_UNITY}" none unite)
  treadle_unite(${name} ${unite} "${TEST_SOURCES}"
    /adaptive_test /drive_test /parallel_invoke_test /pipeline_stress /session_test /site_test /loop/state_test /strategy_test
    /task_group_test /tuning_store_test
    /src/algorithm/) # these are large
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF) # one setting with the precompiled header
  target_precompile_headers(${name} REUSE_FROM treadle_test_main)
  target_link_libraries(${name} PRIVATE ${TEST_LINK} treadle_test_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  gtest_discover_tests(${name} TEST_PREFIX ${name}/ DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 300 PROPERTIES LABELS case TIMEOUT 300)
  treadle_shards(${name} ${name} 4)
  add_dependencies(treadle_tests ${name})
endfunction()
