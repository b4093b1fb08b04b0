int x = 1;
int main(void) {
  short *p = (short *)&x;
  return *p; //~ UB effective-type
}
