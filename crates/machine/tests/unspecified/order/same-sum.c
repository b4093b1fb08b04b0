// The sum is the same in both orders, but the operands are not: the machine does not
// look further than the expression in which the order shows.
static int n;
static int next(void) { return ++n; }
int main(void) {
  return next() + next() - 3; //~ UNSPECIFIED order
}
