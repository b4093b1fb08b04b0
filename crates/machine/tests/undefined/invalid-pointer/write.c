int main(void) {
  char *p = (char *)-1;
  *p = 1; //~ UB invalid-pointer
  return 0;
}
