// How a script speaks with Narratoria: one request on stdin, events on stdout, `done` last.
//
// Nothing here is about any skill. Whatever arrives, a proper answer leaves: a script that stops without
// `done`, or in the middle of a line, has failed without saying why. The request is checked once, as a whole,
// and then read where it lies: a value is a piece of its text.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The host sends far less; this stops a runaway pipe before it takes the component's memory.
#define REQUEST_BYTES_MAX (16u << 20)

// Levels of arrays and objects in a request: each takes a piece of the stack. The host sends no more than this.
#define DEPTH_MAX 128

// A piece of the request; `at` is NULL where there is none.
struct text {
  const char *at;
  size_t len;
};

// ---- what is said ------------------------------------------------------------------------------------

// A string as JSON. What it is made from is UTF-8, as everything is that comes out of a checked request.
static inline void put_string(const char *at, size_t len) {
  putchar('"');
  for (size_t n = 0; n < len; n++) {
    unsigned char c = (unsigned char)at[n];
    if (c == '"' || c == '\\') printf("\\%c", c);
    else if (c < 0x20 || c == 0x7f) printf("\\u%04x", c);
    else putchar(c);
  }
  putchar('"');
}

static inline void put(const char *text) { put_string(text, strlen(text)); }

static inline void say_log(const char *level, const char *message) {
  printf("{\"version\":\"0\",\"type\":\"log\",\"level\":\"%s\",\"message\":", level);
  put(message);
  puts("}");
  fflush(stdout);
}

// Ends the program: the script cannot do its work, and says so. Exits with 0, since a proper answer was given.
static inline _Noreturn void refuse(const char *code, const char *message) {
  printf("{\"version\":\"0\",\"type\":\"error\",\"errorCode\":\"%s\",\"errorMessage\":", code);
  put(message);
  printf("}\n{\"version\":\"0\",\"type\":\"done\",\"ok\":false,\"summary\":");
  put(message);
  puts("}");
  exit(fflush(stdout) == 0 ? 0 : 1);
}

// ---- what is read: the check -------------------------------------------------------------------------

static inline bool is_utf8(const unsigned char *at, size_t len) {
  for (size_t n = 0; n < len;) {
    unsigned char c = at[n];
    size_t more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 9;
    if (more > len - n - 1) return false;
    for (size_t k = 1; k <= more; k++)
      if ((at[n + k] & 0xc0) != 0x80) return false;
    // Written longer than need be, half a surrogate pair, or beyond Unicode.
    if (more > 1) {
      unsigned char next = at[n + 1];
      if ((c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) || (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f)) return false;
    }
    n += more + 1;
  }
  return true;
}

static inline const char *skip_blanks(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  return at;
}

// The four digits of an escape, or -1.
static inline int32_t hex4(const char *at, const char *end) {
  int32_t value = 0;
  if (end - at < 4) return -1;
  for (int n = 0; n < 4; n++) {
    char c = at[n];
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// One escape, from after its backslash: its character, and `at` moves behind it; -1 if it is none. Half a
// surrogate pair is none: it has no place in UTF-8.
static inline int32_t read_escape(const char **at, const char *end) {
  if (*at == end) return -1;
  switch (*(*at)++) {
    case '"': return '"';
    case '\\': return '\\';
    case '/': return '/';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'u': break;
    default: return -1;
  }
  int32_t high = hex4(*at, end);
  if (high < 0) return -1;
  *at += 4;
  if (high < 0xd800 || high > 0xdfff) return high;
  if (high > 0xdbff || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u') return -1;
  int32_t low = hex4(*at + 2, end);
  if (low < 0xdc00 || low > 0xdfff) return -1;
  *at += 6;
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

// Each `check_` returns where the value ends, or NULL if it is not JSON.
static inline const char *check_string(const char *at, const char *end) {
  if (at == end || *at != '"') return NULL;
  at++;
  while (at < end && *at != '"') {
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at++ == '\\' && read_escape(&at, end) < 0) return NULL;
  }
  return at < end ? at + 1 : NULL;
}

static inline const char *check_digits(const char *at, const char *end) {
  const char *from = at;
  while (at < end && *at >= '0' && *at <= '9') at++;
  return at > from ? at : NULL;
}

static inline const char *check_number(const char *at, const char *end) {
  if (at < end && *at == '-') at++;
  if (at < end && *at == '0') at++;
  else if (!(at = check_digits(at, end))) return NULL;
  if (at < end && *at == '.' && !(at = check_digits(at + 1, end))) return NULL;
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    at = check_digits(at, end);
  }
  return at;
}

static inline const char *check_value(const char *at, const char *end, int depth) {
  static const char *const words[] = {"true", "false", "null"};
  if (at == end) return NULL;
  if (*at == '"') return check_string(at, end);
  if (*at != '{' && *at != '[') {
    for (int n = 0; n < 3; n++) {
      size_t len = strlen(words[n]);
      if ((size_t)(end - at) >= len && memcmp(at, words[n], len) == 0) return at + len;
    }
    return check_number(at, end);
  }
  if (depth == DEPTH_MAX) return NULL;
  bool is_object = *at == '{';
  char close = is_object ? '}' : ']';
  at = skip_blanks(at + 1, end);
  if (at < end && *at == close) return at + 1;
  for (;;) {
    if (is_object) {
      if (!(at = check_string(skip_blanks(at, end), end))) return NULL;
      at = skip_blanks(at, end);
      if (at == end || *at++ != ':') return NULL;
    }
    if (!(at = check_value(skip_blanks(at, end), end, depth + 1))) return NULL;
    at = skip_blanks(at, end);
    if (at == end) return NULL;
    if (*at == close) return at + 1;
    if (*at++ != ',') return NULL;
  }
}

// ---- what is read: the parts -------------------------------------------------------------------------

// The request, checked. Nothing at all is the empty request. It has a place of its own: some libraries for WASI lose
// track of a heap that grows by megabytes while files are open.
static inline struct text read_request(void) {
  static char bytes[REQUEST_BYTES_MAX + 1];
  size_t len = fread(bytes, 1, sizeof bytes, stdin);
  if (len > REQUEST_BYTES_MAX) refuse("INVALID_REQUEST", "the request is too long");
  if (!is_utf8((unsigned char *)bytes, len)) refuse("INVALID_REQUEST", "the request is not UTF-8");
  const char *end = bytes + len, *at = skip_blanks(bytes, end);
  if (at == end) return (struct text){"{}", 2};
  const char *after = *at == '{' ? check_value(at, end, 0) : NULL;
  if (!after || skip_blanks(after, end) != end) {
    refuse("INVALID_REQUEST", "the request is not a JSON object, or it nests too deep");
  }
  return (struct text){at, (size_t)(after - at)};
}

// Goes through the members of an object: `at` is where the last one ended, at first the object's beginning.
static inline bool next_member(struct text object, const char **at, struct text *name, struct text *value) {
  const char *end = object.at + object.len - 1;
  const char *from = skip_blanks(*at == object.at ? object.at + 1 : *at, end);
  if (from < end && *from == ',') from = skip_blanks(from + 1, end);
  if (from >= end) return false;
  const char *name_end = check_string(from, end);
  *name = (struct text){from + 1, (size_t)(name_end - from) - 2};
  value->at = skip_blanks(skip_blanks(name_end, end) + 1, end);
  *at = check_value(value->at, end, 0);
  value->len = (size_t)(*at - value->at);
  return true;
}

static inline bool is_text(struct text text, const char *word) {
  return text.at && text.len == strlen(word) && memcmp(text.at, word, text.len) == 0;
}

// The member of this name, the last if there are several; none where it is null.
static inline struct text member(struct text object, const char *wanted) {
  struct text found = {NULL, 0}, name, value;
  const char *at = object.at;
  while (next_member(object, &at, &name, &value))
    if (is_text(name, wanted)) found = value;
  return is_text(found, "null") ? (struct text){NULL, 0} : found;
}

// A string, without its escapes. False if it is none, or longer than `room` bytes.
static inline bool read_string(struct text value, char *into, size_t room, size_t *len) {
  if (!value.at || *value.at != '"') return false;
  const char *at = value.at + 1, *end = value.at + value.len - 1;
  *len = 0;
  while (at < end) {
    char bytes[4];
    size_t count = 1;
    bytes[0] = *at++;
    if (bytes[0] == '\\') {
      int32_t c = read_escape(&at, end);
      count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
      for (size_t n = count - 1; n > 0; n--, c >>= 6) bytes[n] = (char)(0x80 | (c & 0x3f));
      bytes[0] = (char)(count == 1 ? c : (0xf00 >> count & 0xff) | c);
    }
    if (count > room - *len) return false;
    memcpy(into + *len, bytes, count);
    *len += count;
  }
  return true;
}

// A whole number from 0 on; false if it is anything else, or too large.
static inline bool read_u64(struct text value, uint64_t *into) {
  if (!value.at || value.len == 0) return false;
  *into = 0;
  for (size_t n = 0; n < value.len; n++) {
    unsigned digit = (unsigned)value.at[n] - '0';
    if (digit > 9 || *into > (UINT64_MAX - digit) / 10) return false;
    *into = *into * 10 + digit;
  }
  return true;
}

// ---- what is asked -----------------------------------------------------------------------------------

// The line of an answer; the host sends less.
#define ANSWER_BYTES_MAX 65536

// Asks the player and waits for the answer, which may differ from the choices. False if there is none, or if it is
// longer than `room` bytes.
static inline bool ask(const char *question, const char *const *choices, size_t count, char *into, size_t room, size_t *len) {
  static char line[ANSWER_BYTES_MAX];
  printf("{\"version\":\"0\",\"type\":\"ui_event\",\"event\":\"ask\",\"payload\":{\"question\":");
  put(question);
  printf(",\"choices\":[");
  for (size_t n = 0; n < count; n++) {
    if (n > 0) putchar(',');
    put(choices[n]);
  }
  puts("]}}");
  fflush(stdout);
  // The answer follows behind the end of the request, which C remembers.
  clearerr(stdin);
  size_t read = fread(line, 1, sizeof line, stdin);
  if (!is_utf8((unsigned char *)line, read)) return false;
  const char *end = line + read, *at = skip_blanks(line, end);
  const char *after = at < end && *at == '{' ? check_value(at, end, 0) : NULL;
  if (!after) return false;
  return read_string(member((struct text){at, (size_t)(after - at)}, "answer"), into, room, len);
}
