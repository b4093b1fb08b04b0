typedef struct file { int flags; } FILE;
extern FILE *stdin;
int main(void) {
  return stdin->flags; //~ UNSUPPORTED a look into a stream of the library
}
