#include "library.c"
