_Alignas(int) char buffer[4];
int main(void) {
  int *p = (int *)buffer;
  *p = 1; //~ UB effective-type
  return 0;
}
