double d;
static void set(void *p) {
  *(long *)p = 1; //~ UB effective-type
}
int main(void) {
  set(&d);
  return 0;
}
