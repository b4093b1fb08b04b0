asm("");
__asm__(".globl nothing\nnothing:");
int renamed asm("other_name") = 3;
int function(int) asm("renamed_function");
int function(int a) { return a; }
int main(void) {
    int a = 1, b = 2;
    long memory[2] = { 1, 2 };
    asm("");
    asm volatile("nop");
    __asm__ __volatile__("" : : : "memory", "cc");
    asm("addl %1, %0" : "+r"(a) : "r"(b));
    asm("movl %[in], %[out]" : [out] "=r"(b) : [in] "ri"(7) : "cc");
    asm inline("" : "=m"(memory[0]) : "m"(memory[1]), "0"(memory[0]));
    asm("" : "+m"(a), "=&r"(b) : "1"(b));
    asm goto("jmp %l1" : : "r"(a) : : done);
    return 9;
    done:
    return !(a == 3 && b == 7 && function(4) == 4);
}
