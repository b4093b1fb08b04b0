static void *get(void) {
here:
  return &&here;
}
int main(void) {
  void *own = &&there;
  own = get();
  goto *own; //~ UB computed-goto
there:
  return 0;
}
