// std: c23
// compiler: none
// Checked with clang 19 and 22: C23 7.16.1.1p2 lets `nullptr` be taken as `void *`.
static int is_null(int count, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, count);
    void *pointer = __builtin_va_arg(list, void *);
    __builtin_va_end(list);
    return pointer == nullptr;
}

int main(void)
{
    return !is_null(1, nullptr);
}
