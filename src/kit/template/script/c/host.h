// What every service of the host needs: texts as the component model passes them, and memory for the host's answers.
//
// Nothing here is about any skill. Answers are not freed, because a script ends after one request.
#pragma once

#include "wire.h"

#if !defined(__wasm__) && !defined(STUBS_H)
#error "the services of the host exist only in a component: build this script with `narratoria skill build`, or test it with tests/stubs.h"
#endif

#ifdef __wasm__
// A function of the host.
#define HOST(module, name) __attribute__((import_module(module), import_name(name))) extern
// A description for the linker of components, as `wit_component::metadata::encode` writes it. `bytes` are in the form of
// an assembler's string.
#define COMPONENT_TYPE(world, bytes) \
  __asm__(".section \".custom_section.component-type:" world "\",\"\",@\n.ascii \"" bytes "\"\n")
#define FOR_THE_HOST __attribute__((weak, export_name("cabi_realloc")))
#else
#define HOST(module, name) extern
#define COMPONENT_TYPE(world, bytes) _Static_assert(1, "")
#define FOR_THE_HOST static inline
#endif

// The host takes the memory for its answers from here. A place for nothing is never read.
FOR_THE_HOST void *cabi_realloc(void *at, size_t len, size_t align, size_t wanted) {
  (void)len;
  if (wanted == 0) return (void *)align;
  void *place = realloc(at, wanted);
  if (!place) abort();
  return place;
}

// The component model knows a text by its place and its length in bytes, as `struct text` does.
static inline struct text text_of(const char *word) { return (struct text){word, strlen(word)}; }

// As `refuse`, with a message of the host.
static inline _Noreturn void refuse_because(const char *code, struct text why) {
  char *message = cabi_realloc(NULL, 0, 1, why.len + 1);
  memcpy(message, why.at, why.len);
  message[why.len] = 0;
  refuse(code, message);
}
