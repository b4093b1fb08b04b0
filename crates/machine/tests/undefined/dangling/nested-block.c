// A function inside another uses an object whose block has ended.
int main(void)
{
    int (*get)(void);
    {
        int value = 0;
        int read(void)
        {
            return value; //~ UB dangling
        }
        get = read;
    }
    return get();
}
