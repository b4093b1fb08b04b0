void f(int a) {
  switch (a) {
  case 1.0:; //~ an integer constant is needed here, this has type `double`
  }
}
