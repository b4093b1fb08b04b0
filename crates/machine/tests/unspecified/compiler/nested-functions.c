// Pointers to one function inside another, made in two calls: GCC makes them equal if the
// function needs nothing of the call.
static int differ(int depth, int (*outer)(int))
{
    int same(int x) { return x; }
    return depth ? differ(depth - 1, same) : outer != same; //~ UNSPECIFIED compiler
}

int main(void)
{
    return differ(1, 0);
}
