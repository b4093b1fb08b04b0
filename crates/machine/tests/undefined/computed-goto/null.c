int main(void) {
  void *label = 0;
  goto *label; //~ UB computed-goto
here:
  label = &&here;
  return 0;
}
