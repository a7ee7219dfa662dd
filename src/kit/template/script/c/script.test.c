// The script `{{script}}` without a sandbox: `cc -o /tmp/check tests/{{script}}.test.c && /tmp/check`.

#include "stubs.h"

#define main script
#include "../src/{{script}}.c"
#undef main

int main(void) {
{{test}}
  return 0;
}
