enum e { }; //~ an enumeration has at least one constant
