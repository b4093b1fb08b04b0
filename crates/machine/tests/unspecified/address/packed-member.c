// A pointer to a member of a packed struct does not know that it is packed.
struct __attribute__((packed)) s { char c; int i; } s;
int main(void) {
  int *p = (int *)((char *)&s + 1); //~ UNSPECIFIED address
  return *p;
}
