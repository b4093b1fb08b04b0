int main(void) {
  int *p = 0;
  if (p) return 1;
  else p = &(int){ 3 };
  return *p; //~ UB dangling
}
