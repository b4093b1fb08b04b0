int puts(const char *);
int putchar(int);
int main(void) {
  puts("hello");
  putchar('!');
  putchar('\n');
}
