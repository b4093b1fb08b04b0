// A common initial sequence does not help without a union.
struct header { int tag; };
struct number { int tag; double value; };
int main(void) {
  struct number n = { 1, 2 };
  struct header *h = (struct header *)&n;
  return h->tag; //~ UB effective-type
}
