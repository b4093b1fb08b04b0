short double x; //~ `short double` is not a type
