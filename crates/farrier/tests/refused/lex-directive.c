int x;
#include <stdio.h> //~ this directive is for the preprocessor
