signed unsigned x; //~ a type cannot be both signed and unsigned
