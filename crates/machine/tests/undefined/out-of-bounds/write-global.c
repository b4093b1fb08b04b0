char text[2];
int main(void) {
  int i = 2;
  text[i] = 0; //~ UB out-of-bounds
  return 0;
}
