int no_such_function(int);
int main(void) {
  return no_such_function(1); //~ UNSUPPORTED `no_such_function` is declared but defined in none of the files
}
