typedef struct file { int other; int flags; } FILE;
extern FILE *stdin;
int main(void) {
  int *flags = &stdin->flags; //~ UNSUPPORTED a look into a stream of the library
  return *flags;
}
