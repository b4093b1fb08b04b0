#pragma pack(push, 3) //~ this `#pragma pack` is malformed
struct s { int x; };
