// options: --std c23
void *p = nullptr; //~ `nullptr` is not supported
