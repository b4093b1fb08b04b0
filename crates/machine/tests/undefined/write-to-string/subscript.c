int main(void) {
  "a"[0]++; //~ UB write-to-string
  return 0;
}
