int main(void) {
  goto inside;
  {
    int x = 1;
  inside:
    return x; //~ UB uninitialised
  }
}
