_Alignas(long) int a[4];
int main(void) {
  long *p = (long *)a;
  return *p != 0; //~ UB effective-type
}
