int x __attribute__((section("a" //~ this parenthesis is never closed
