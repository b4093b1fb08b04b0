char *s = "abc;
//~^ has no end on its line
