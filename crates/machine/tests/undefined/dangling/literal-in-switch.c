int main(void) {
  int *p = 0;
  switch (!p)
  case 1: p = &(int){ 3 };
  return *p; //~ UB dangling
}
