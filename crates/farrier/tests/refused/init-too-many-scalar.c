int a = { 1, 2 }; //~ too many initialisers for one number
