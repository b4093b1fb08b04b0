static void ignore(int *p) { (void)p; }
int main(void) {
  int x;
  ignore(&x);
  return x; //~ UB uninitialised
}
