int puts(const char *);
int mine(void) __asm__("putchar");
int mine(void) { return 0; } //~ UNSPECIFIED compiler
int main(void) { return mine(); }
