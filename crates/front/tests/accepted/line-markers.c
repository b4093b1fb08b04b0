# 1 "a.c"
# 1 "<built-in>" 1
# 1 "/usr/include/x.h" 1 3 4
extern int from_header;
# 2 "a.c" 2
#pragma GCC diagnostic ignored "-Wall"
#pragma once
int x = 1; /* comment */ int y = 2; // another
#line 100
int main(void) { return x + y - 3; }
#ident "text"
#
