int main(void) {
  int n = -5;
  return sizeof(int[n]) == 0; //~ UB vla-length
}
