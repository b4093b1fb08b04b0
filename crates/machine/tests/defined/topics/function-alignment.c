void aligned(void) __attribute__((aligned(256)));
void aligned(void) {}
int main(void) {
  return __alignof__(aligned) == 256 ? 0 : 1;
}
