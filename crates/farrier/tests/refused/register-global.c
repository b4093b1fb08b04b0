register int x asm("rbx"); //~ global register variables are not supported
