_Complex void *x; //~ this type has no complex form
