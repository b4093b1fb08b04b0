int main(void) {
  item *head = 0; //~ `item` is not declared
  return 0;
}
