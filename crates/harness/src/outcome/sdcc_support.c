/* Linked to every program that SDCC compiles: see marked.rs. The program's own main has another
   name, by a flag, and so has what it calls exit: the start-up code has one of its own. */
#undef main
#undef exit
#if defined(__SDCC_mcs51)
#define FARRIER_PORT (*(volatile __xdata unsigned char *)0xffff)
#elif defined(__SDCC_stm8)
#define FARRIER_PORT (*(volatile unsigned char *)0x4fff)
#else
#define FARRIER_PORT (*(volatile unsigned char *)0x00f0)
#endif

int farrier_main(void);

/* The interface of the simulator: print a character, stop. */
int putchar(int character)
{
    FARRIER_PORT = 'p';
    FARRIER_PORT = character;
    return character;
}

static void farrier_print(const char *text)
{
    while (*text)
        putchar(*text++);
}

/* Where the paint between data and stack is gone at the end, the two have met, and what the
   program did says nothing. */
#define FARRIER_PAINT 0xa5
#if defined(__SDCC_mcs51)
/* The stack grows upwards in the internal memory. */
#define FARRIER_TOP 32
static void farrier_paint(void)
{
    __idata unsigned char *place = (__idata unsigned char *)0xff;
    do
        *place = FARRIER_PAINT;
    while (--place != (__idata unsigned char *)(0xff - FARRIER_TOP));
}

static unsigned char farrier_memory_was_enough(void)
{
    __idata unsigned char *place = (__idata unsigned char *)0xff;
    do
        if (*place != FARRIER_PAINT)
            return 0;
    while (--place != (__idata unsigned char *)(0xff - FARRIER_TOP));
    return 1;
}
#else
/* The stack grows downwards to the data. */
#define FARRIER_FENCE 512
static volatile unsigned char *farrier_end_of_data(void) __naked
{
#if defined(__SDCC_stm8)
    __asm
        ldw x, #s_INITIALIZED
        addw x, #l_INITIALIZED
        ret
    __endasm;
#else
    __asm
        ld hl, #s__INITIALIZED
        ld de, #l__INITIALIZED
        add hl, de
        ex de, hl
        ret
    __endasm;
#endif
}

static void farrier_paint(void)
{
    volatile unsigned char *place = farrier_end_of_data();
    unsigned int i;
    for (i = 0; i < FARRIER_FENCE; i++)
        place[i] = FARRIER_PAINT;
}

static unsigned char farrier_memory_was_enough(void)
{
    volatile unsigned char *place = farrier_end_of_data();
    unsigned int i;
    for (i = 0; i < FARRIER_FENCE; i++)
        if (place[i] != FARRIER_PAINT)
            return 0;
    return 1;
}
#endif

static void farrier_end(const char *word)
{
    farrier_print("farrier: end ");
    farrier_print(farrier_memory_was_enough() ? word : "memory");
    putchar('\n');
    FARRIER_PORT = 's';
    for (;;)
        ;
}

void farrier_exit(int status)
{
    static char digits[4];
    unsigned char rest = status;
    digits[0] = '0' + rest / 100;
    digits[1] = '0' + rest / 10 % 10;
    digits[2] = '0' + rest % 10;
    farrier_end(digits);
}

void abort(void)
{
    farrier_end("abort");
}

void main(void)
{
    farrier_paint();
    farrier_print("farrier: begin\n");
    farrier_exit(farrier_main());
}
