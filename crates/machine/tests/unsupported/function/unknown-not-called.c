// What is not executed does not matter: the second is what stops the machine.
int first(void), second(void);
int main(void) {
  if (0) return first();
  return second(); //~ UNSUPPORTED `second` is declared but defined in none of the files
}
