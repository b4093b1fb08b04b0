register int in_use __asm__("ebx");
int main(void) {
  in_use = 0; //~ UNSUPPORTED the variable `in_use` in a register of its own
}
