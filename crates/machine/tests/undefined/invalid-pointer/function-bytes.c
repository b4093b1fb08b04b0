int main(void) {
  unsigned char *p = (unsigned char *)&main;
  return *p; //~ UB invalid-pointer
}
