int x;
/* never closed
//~^ this comment has no end
