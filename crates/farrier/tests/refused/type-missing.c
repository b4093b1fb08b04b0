static x; //~ a type is missing here
