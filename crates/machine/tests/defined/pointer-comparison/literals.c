// Literals that differ are different objects, and one is always itself.
static const char *name(void) { return "farrier"; }
int main(void) {
  const char *a = "anvil", *b = "hammer", *c = "anvil?";
  if (a == b || a == c || a + 1 == b)
    return 1;
  if (name() != name())
    return 2;
  return a + 5 == b;
}
