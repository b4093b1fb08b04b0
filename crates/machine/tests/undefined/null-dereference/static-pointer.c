// Static pointers are null when nothing initialises them.
static char *name;
int main(void) {
  return *name; //~ UB null-dereference
}
