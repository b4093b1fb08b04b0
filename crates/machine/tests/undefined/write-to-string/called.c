static void upper(char *p) {
  for (; *p; p++)
    *p -= 32; //~ UB write-to-string
}
int main(void) {
  upper("abc");
  return 0;
}
