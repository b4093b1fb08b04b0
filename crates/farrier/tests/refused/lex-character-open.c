int c = 'a;
//~^ has no end on its line
