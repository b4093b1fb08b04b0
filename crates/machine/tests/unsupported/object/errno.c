// C11 7.5p2: a program must not define errno.
int errno = 3;

int main(void)
{
    return errno; //~ UNSUPPORTED the object `errno`, which C reserves
}
