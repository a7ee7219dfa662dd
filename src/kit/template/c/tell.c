// The script `tell`: an omen about whatever the player asks. This is where your skill begins.

#include "wire.h"

#define INPUT \
  "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"Tell\"," \
  "\"description\":\"What to tell an omen about.\",\"type\":\"object\",\"additionalProperties\":false," \
  "\"required\":[\"about\"],\"properties\":{\"about\":{\"description\":\"What the player asks about.\"," \
  "\"type\":\"string\",\"minLength\":1,\"maxLength\":200}}}"

#define OUTPUT \
  "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"Omen\"," \
  "\"description\":\"The omen.\",\"type\":\"object\",\"required\":[\"text\",\"favourable\"],\"properties\":{" \
  "\"text\":{\"description\":\"The omen in one sentence; it becomes part of the narration.\",\"type\":\"string\"}," \
  "\"favourable\":{\"description\":\"Whether it speaks for going on.\",\"type\":\"boolean\"}}}"

// Before and after what it is about, and whether it is favourable.
static const struct {
  const char *before, *after;
  bool favourable;
} OMENS[] = {
  {"The water lies still around", "nothing stands in the way.", true},
  {"Three crows sit above", "go on, and keep your eyes open.", true},
  {"The candle leans away from", "wait until the morning.", false},
};

static void describe(void) {
  puts("{\"version\":\"0\",\"type\":\"done\",\"ok\":true,\"output\":{\"inputSchema\":" INPUT ",\"outputSchema\":" OUTPUT "}}");
}

static void tell(struct text request) {
  struct text input = member(request, "input"), name, value;
  if (!input.at) input = (struct text){"{}", 2};
  if (*input.at != '{') refuse("INVALID_REQUEST", "`input` is not an object");
  const char *at = input.at;
  while (next_member(input, &at, &name, &value))
    if (!is_text(name, "about")) refuse("INVALID_INPUT", "`input` has a field that is not `about`");

  // 200 characters of at most 4 bytes.
  char about[800];
  size_t len;
  if (!read_string(member(input, "about"), about, sizeof about, &len)) {
    refuse("INVALID_INPUT", "`input.about` is missing, no string, or too long");
  }
  size_t chars = 0;
  for (size_t n = 0; n < len; n++) chars += ((unsigned char)about[n] & 0xc0) != 0x80;
  if (chars > 200) refuse("INVALID_INPUT", "`input.about` has more than 200 characters");
  const char *from = about;
  while (len > 0 && *from == ' ') from++, len--;
  while (len > 0 && from[len - 1] == ' ') len--;
  if (len == 0) refuse("NOTHING_ASKED", "say what the omen is to be about");

  uint64_t seed = 0;
  struct text given = member(request, "seed");
  if (given.at && !read_u64(given, &seed)) refuse("INVALID_REQUEST", "`seed` is no whole number from 0 on");

  // All chance comes from the seed: the same request gives the same omen.
  size_t idx = (size_t)(seed % (sizeof OMENS / sizeof *OMENS));
  char text[sizeof about + 100];
  int text_len = snprintf(text, sizeof text, "%s %.*s: %s", OMENS[idx].before, (int)len, from, OMENS[idx].after);
  // `%s` stops at a NUL, which may stand in a JSON string.
  if (memchr(from, 0, len)) refuse("INVALID_INPUT", "`input.about` has a NUL in it");
  const char *favourable = OMENS[idx].favourable ? "true" : "false";

  say_log("info", "the signs were read");
  printf("{\"version\":\"0\",\"type\":\"state_patch\",\"patch\":{\"omen\":{\"about\":");
  put_string(from, len);
  printf(",\"favourable\":%s}}}\n{\"version\":\"0\",\"type\":\"done\",\"ok\":true,\"summary\":\"told an omen\",\"output\":{\"text\":", favourable);
  put_string(text, (size_t)text_len);
  printf(",\"favourable\":%s}}\n", favourable);
}

int main(void) {
  struct text request = read_request();
  // Longer names are no operation either.
  char operation[16] = "run";
  size_t len = 3;
  struct text given = member(request, "operation");
  if (given.at && !read_string(given, operation, sizeof operation, &len)) {
    refuse("UNKNOWN_OPERATION", "known are `run` and `describe`");
  }
  struct text name = {operation, len};
  if (is_text(name, "describe")) describe();
  else if (is_text(name, "run") || len == 0) tell(request);
  else refuse("UNKNOWN_OPERATION", "known are `run` and `describe`");
  return fflush(stdout) == 0 ? 0 : 1;
}
