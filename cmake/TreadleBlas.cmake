# BLAS and LAPACK: TREADLE_BLAS_LIBRARIES, TREADLE_BLAS_INCLUDE_DIRS and TREADLE_BLAS_DEFINITIONS.
#
# The Python package has the OpenBLAS that NumPy and SciPy are built with, PyPI's scipy-openblas32, so that a product
# takes as long here as there. Everything else has the system's.
if(TREADLE_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import scipy_openblas32 as b; print(b.get_lib_dir(), b.get_include_dir(), sep=';')"
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE openblas COMMAND_ERROR_IS_FATAL ANY)
  list(GET openblas 0 directory)
  list(GET openblas 1 TREADLE_BLAS_INCLUDE_DIRS)
  find_library(SCIPY_OPENBLAS_LIBRARY scipy_openblas PATHS ${directory} NO_DEFAULT_PATH REQUIRED)
  set(TREADLE_BLAS_LIBRARIES ${SCIPY_OPENBLAS_LIBRARY})
  set(TREADLE_BLAS_DEFINITIONS TREADLE_SCIPY_OPENBLAS)
else()
  find_package(BLAS REQUIRED)
  find_package(LAPACK REQUIRED)
  find_path(CBLAS_INCLUDE_DIR cblas.h REQUIRED PATH_SUFFIXES x86_64-linux-gnu openblas)
  find_path(LAPACKE_INCLUDE_DIR lapacke.h REQUIRED)
  find_library(LAPACKE_LIBRARY lapacke REQUIRED)
  set(TREADLE_BLAS_INCLUDE_DIRS ${CBLAS_INCLUDE_DIR} ${LAPACKE_INCLUDE_DIR})
  set(TREADLE_BLAS_LIBRARIES ${LAPACKE_LIBRARY} LAPACK::LAPACK BLAS::BLAS)
endif()
