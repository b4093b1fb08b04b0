// A function inside another is called after the call around it has ended.
static int (*keep(int n))(void)
{
    int get(void) { return n; }
    return get;
}

int main(void)
{
    int (*get)(void) = keep(3);
    return get(); //~ UB not-a-function
}
