// A substatement is a block, even without braces (C11 6.8.4p3).
int main(void) {
  int *p = 0;
  if (!p) p = &(int){ 3 };
  return *p; //~ UB dangling
}
