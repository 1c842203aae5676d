// The library of OCR has a main() of its own, which comes before that of the test library.
#include "main.cpp"
