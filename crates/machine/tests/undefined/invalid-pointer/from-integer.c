int main(void) {
  int *p = (int *)64;
  return *p; //~ UB invalid-pointer
}
