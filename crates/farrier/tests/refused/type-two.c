int char x; //~ two types in one declaration
