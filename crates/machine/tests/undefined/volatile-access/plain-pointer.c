int main(void) {
  volatile int v = 1;
  int *p = (int *)&v;
  return *p; //~ UB volatile-access
}
