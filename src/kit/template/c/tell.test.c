// The script `tell` without a sandbox: `cc -o /tmp/check tests/tell.test.c && /tmp/check`.

#include "stubs.h"

#define main script
#include "../src/tell.c"
#undef main

// Every omen names what it is about.
static void check_omen(uint64_t seed, const char *expected) {
  struct stub_call *call = stub_call("{\"about\":\" the mill \"}");
  stub_seed(call, seed);
  struct stub_result said = stub_run(script, call);
  stub_expect_text(&said, "text", expected);
}

static void check_refusal(const char *input, const char *code) {
  struct stub_result said = stub_run(script, stub_call(input));
  stub_expect_error(&said, code);
}

int main(void) {
  check_omen(0, "The water lies still around the mill: nothing stands in the way.");
  check_omen(1, "Three crows sit above the mill: go on, and keep your eyes open.");
  check_omen(5, "The candle leans away from the mill: wait until the morning.");
  check_refusal("{}", "INVALID_INPUT");
  check_refusal("{\"about\":7}", "INVALID_INPUT");
  check_refusal("{\"about\":\" \"}", "NOTHING_ASKED");
  check_refusal("[]", "INVALID_REQUEST");
  check_refusal("{\"about\":\"\\ud800\"}", "INVALID_REQUEST");
  return 0;
}
