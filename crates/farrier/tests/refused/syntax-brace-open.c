int f(void) {
  return 1;
//~ expected `}`, the file ends