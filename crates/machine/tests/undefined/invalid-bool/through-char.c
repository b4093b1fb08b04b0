int main(void) {
  _Bool b = 0;
  *(unsigned char *)&b = 16;
  return b; //~ UB invalid-bool
}
