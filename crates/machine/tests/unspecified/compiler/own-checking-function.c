// The name is reserved, so the type of the definition does not matter.
typedef struct file stream;
int __fprintf_chk(stream *s, int flag, const char *text, ...)
{
    return flag;
}
int main(void)
{
    return __fprintf_chk(0, 1, "x"); //~ UNSPECIFIED compiler
}
