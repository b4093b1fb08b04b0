// A function inside another changes a local that the other operand reads.
int main(void)
{
    int value = 1;
    int change(void) { return value = 2; }
    return value + change() == 0; //~ UNSPECIFIED order
}
