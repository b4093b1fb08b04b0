void f(int a) {
  switch (a) {
  case a:; //~ this is not an integer constant
  }
}
