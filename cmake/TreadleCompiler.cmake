# Compiler settings that every target of the project shares, carried by one interface target.
add_library(treadle_options INTERFACE)

target_compile_options(treadle_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Woverloaded-virtual
  -Wpedantic -Wconversion -Wsign-conversion -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough)
set(CMAKE_COMPILE_WARNING_AS_ERROR ${TREADLE_WERROR})

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of GCC 12 on inlined reference counts, optional-like storage and string concatenation.
  target_compile_options(treadle_options INTERFACE -Wno-maybe-uninitialized -Wno-use-after-free -Wno-null-dereference
    -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
else()
  # Clang reports std::get_temporary_buffer inside of libstdc++ 12's stable_sort and inplace_merge.
  target_compile_options(treadle_options INTERFACE -Wno-deprecated-declarations)
endif()

# What one file has without a name for others, another one that is compiled with it may have, too.
add_library(treadle_unity_options INTERFACE) # behind treadle_options
target_compile_options(treadle_unity_options INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
if(TREADLE_UNITY STREQUAL "all")
  target_link_libraries(treadle_options INTERFACE treadle_unity_options)
endif()

if(TREADLE_SANITIZE)
  string(REPLACE ";" "," sanitizers "${TREADLE_SANITIZE}")
  target_compile_options(treadle_options INTERFACE -fsanitize=${sanitizers} -fno-omit-frame-pointer -g1)
  target_link_options(treadle_options INTERFACE -fsanitize=${sanitizers})
  if("undefined" IN_LIST TREADLE_SANITIZE)
    # The checks that are left out would take half of the time of compiling. What most of them find is a fault or a
    # report of the address sanitizer all the same.
    target_compile_options(treadle_options INTERFACE -fno-sanitize-recover=undefined
      -fno-sanitize=alignment,null,object-size,pointer-overflow,vptr)
  endif()
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
