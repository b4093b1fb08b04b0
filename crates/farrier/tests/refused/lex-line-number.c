# 99999999999 "x.c"
//~^ this line number is too large
