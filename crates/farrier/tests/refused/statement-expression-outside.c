int x = ({ 1; }); //~ a statement expression has no place outside a function
