// The memory of the story, through `contracts/wit/memory.wit` of Narratoria. Nothing here is about any skill.
//
// An error of the host ends the script with the code MEMORY_REFUSED.
#pragma once

#include "host.h"

// A text that the story remembers.
struct memory_entry {
  struct text text;
  struct text *tags;
  size_t tags_count;
};

// The layout that the component model gives to an answer.
struct memory_unit {
  uint8_t is_error;
  struct text error;
};

struct memory_entries {
  uint8_t is_error;
  union {
    struct text error;
    struct {
      struct memory_entry *entries;
      size_t count;
    };
  };
};

HOST("narratoria:host/memory@0.1.0", "remember")
void host_memory_remember(const char *text, size_t len, const struct text *tags, size_t tags_count, struct memory_unit *answer);
HOST("narratoria:host/memory@0.1.0", "recall")
void host_memory_recall(const char *query, size_t len, const struct text *tags, size_t tags_count, uint32_t max, struct memory_entries *answer);

// Has the story remember a text from now on.
static inline void memory_remember(const char *text, const struct text *tags, size_t tags_count) {
  struct memory_unit answer;
  host_memory_remember(text, strlen(text), tags, tags_count, &answer);
  if (answer.is_error) refuse_because("MEMORY_REFUSED", answer.error);
}

// The texts that have words of the query and all of the tags, the best first, at most `max` of them. Returns their number.
static inline size_t memory_recall(const char *query, const struct text *tags, size_t tags_count, uint32_t max, const struct memory_entry **entries) {
  struct memory_entries answer;
  host_memory_recall(query, strlen(query), tags, tags_count, max, &answer);
  if (answer.is_error) refuse_because("MEMORY_REFUSED", answer.error);
  *entries = answer.entries;
  return answer.count;
}

COMPONENT_TYPE("narratoria:host@0.1.0:remembers",
  "\\000asm\\015\\000\\001\\000\\000\\031\\026wit-component-encoding\\004\\000\\007\\271\\001\\001A\\002\\001A"
  "\\002\\001B\\012\\001ps\\001r\\002\\004texts\\004tags\\000\\004\\000\\005entry\\003\\000\\001\\001j\\000"
  "\\001s\\001@\\002\\004texts\\004tags\\000\\000\\003\\004\\000\\010remember\\001\\004\\001p\\002\\001j\\001"
  "\\005\\001s\\001@\\003\\005querys\\004tags\\000\\003maxy\\000\\006\\004\\000\\006recall\\001\\007\\003\\000"
  "\\034narratoria:host/memory@0.1.0\\005\\000\\004\\000\\037narratoria:host/remembers@0.1.0\\004\\000\\013"
  "\\017\\001\\000\\011remembers\\003\\000\\000\\000/\\011producers\\001\\014processed-by\\001\\015wit-componen"
  "t\\0070.254.2");
