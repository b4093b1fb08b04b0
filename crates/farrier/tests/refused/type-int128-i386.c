// options: --target i386-linux
__int128 x; //~ `__int128` does not exist on i386-linux
