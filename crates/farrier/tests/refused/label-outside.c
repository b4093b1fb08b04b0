void *p = &&out; //~ a label has no place outside a function
