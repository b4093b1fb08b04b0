struct __attribute__((may_alias)) s { int a; }; //~ `may_alias` on a struct is not supported
