// A structure with a byte that has no value may be passed and returned; a byte that has one, too.
struct pair { char first, second; };
static char first(struct pair pair) { return pair.first; }
static struct pair same(struct pair pair) { return pair; }
static char chosen(int which, char a, const char *b) { return which ? a : *b; }
int main(void) {
  struct pair pair;
  char missing, *hidden = &missing;
  pair.first = 3;
  pair = same(pair);
  pair.second = *hidden;
  return first(pair) - chosen(1, pair.first, hidden);
}
