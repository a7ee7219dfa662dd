// The script `{{script}}`. {{description}}

{{modules}}#include "wire.h"

#define INPUT \
  "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"Input\"," \
  "\"description\":\"The script needs no input.\",\"type\":\"object\",\"additionalProperties\":false}"

#define OUTPUT \
  "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"Output\"," \
  "\"description\":\"A part of the narration.\",\"type\":\"object\",\"required\":[\"text\"],\"properties\":{" \
  "\"text\":{\"description\":\"A sentence or two.\",\"type\":\"string\"}}}"

static void describe(void) {
  puts("{\"version\":\"0\",\"type\":\"done\",\"ok\":true,\"output\":{\"inputSchema\":" INPUT ",\"outputSchema\":" OUTPUT "}}");
}

static void say_done(const char *text, size_t len) {
  printf("{\"version\":\"0\",\"type\":\"done\",\"ok\":true,\"output\":{\"text\":");
  put_string(text, len);
  puts("}}");
}

{{body}}
int main(void) {
  struct text request = read_request();
  // Longer names are no operation either.
  char operation[16] = "run";
  size_t len = 3;
  struct text given = member(request, "operation"), name, value;
  if (given.at && !read_string(given, operation, sizeof operation, &len)) {
    refuse("UNKNOWN_OPERATION", "known are `run` and `describe`");
  }
  struct text wanted = {operation, len};
  if (is_text(wanted, "describe")) {
    describe();
  } else if (is_text(wanted, "run") || len == 0) {
    struct text input = member(request, "input");
    if (!input.at) input = (struct text){"{}", 2};
    if (*input.at != '{') refuse("INVALID_REQUEST", "`input` is not an object");
    const char *at = input.at;
    if (next_member(input, &at, &name, &value)) refuse("INVALID_INPUT", "`input` has no fields");
    tell(request);
  } else {
    refuse("UNKNOWN_OPERATION", "known are `run` and `describe`");
  }
  return fflush(stdout) == 0 ? 0 : 1;
}
