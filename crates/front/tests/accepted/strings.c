char plain[] = "a\tb\\\"\?\a\b\f\v\e\r\n\0z\x7f\177" "joined" "\x41" "B";
int wide[] = L"wide \u00e9 \x1234";
unsigned short u16[] = u"u16 \U0001F600";
unsigned u32[] = U"u32 \U0001F600";
char utf8[] = u8"\u20ac", direct[] = "é€";
const char *mixed = "a" u8"b";
int wide_joined[] = L"a" "b" L"c";
int constants[] = { 'a', '\'', '"', '\n', '\\', '\0', '\377', '\xff', 'ab', 'abcd', L'x', u'y', U'z',
    L'\x12345', '\x80' };
char cut[3] = "abc", longer[6] = "abc";
const char *split = "con\
tinued";
char nul[] = "a\0b", octal[] = "\1234", trigraph[] = "?\?=";
int main(void) {
    return !(plain[0] == 'a' && wide[5] == 0xe9 && wide[7] == 0x1234
        && sizeof u16 == 14 && sizeof u32 == 24 && u32[4] == 0x1f600 && sizeof utf8 == 4
        && sizeof direct == 6 && mixed[1] == 'b' && wide_joined[2] == 'c' && sizeof wide_joined == 16
        && constants[6] == -1 && constants[7] == -1 && constants[8] == 'a' * 256 + 'b'
        && constants[9] == 0x61626364 && constants[13] == 0x12345 && constants[14] == -128
        && cut[2] == 'c' && !longer[5] && split[3] == 't' && sizeof nul == 4 && octal[0] == 'S' && octal[1] == '4'
        && sizeof "abc" == 4 && "abc"[1] == 'b' && *"x" == 'x' && sizeof L"ab" == 12 && trigraph[1] == '?');
}
