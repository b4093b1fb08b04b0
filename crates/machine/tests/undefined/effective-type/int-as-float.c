int main(void) {
  int x = 1;
  float f = *(float *)&x; //~ UB effective-type
  return f == 0;
}
