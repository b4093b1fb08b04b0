// An array that is initialised by a string is an object of its own.
static char global[] = "abc";
int main(void) {
  char local[4] = "abc", *p = global;
  local[0] = 'x';
  p[1] = 'y';
  char *literal = (char[]){ "abc" };
  literal[2] = 'z';
  return local[0] == 'x' && global[1] == 'y' && literal[2] == 'z' ? 0 : 1;
}
