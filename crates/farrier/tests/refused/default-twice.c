void f(int a) {
  switch (a) {
  default:;
  default:; //~ this `switch` has a default already
  }
}
