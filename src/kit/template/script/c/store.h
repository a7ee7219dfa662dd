// The values that the skill keeps, through `contracts/wit/store.wit` of Narratoria. Nothing here is about any skill.
//
// An error of the host ends the script with the code STORE_REFUSED.
#pragma once

#include "host.h"

// The layout that the component model gives to an answer.
struct store_unit {
  uint8_t is_error;
  struct text error;
};

struct store_value {
  uint8_t is_error;
  union {
    struct text error;
    struct {
      uint8_t is_some;
      struct text value;
    };
  };
};

struct store_keys {
  uint8_t is_error;
  union {
    struct text error;
    struct {
      struct text *keys;
      size_t count;
    };
  };
};

HOST("narratoria:host/store@0.1.0", "get") void host_store_get(const char *key, size_t key_len, struct store_value *answer);
HOST("narratoria:host/store@0.1.0", "set")
void host_store_set(const char *key, size_t key_len, const char *value, size_t value_len, struct store_unit *answer);
HOST("narratoria:host/store@0.1.0", "delete") void host_store_delete(const char *key, size_t key_len, struct store_unit *answer);
HOST("narratoria:host/store@0.1.0", "list") void host_store_list(const char *prefix, size_t prefix_len, struct store_keys *answer);

// The value of a key; `at` is NULL where there is none.
static inline struct text store_get(const char *key) {
  struct store_value answer;
  host_store_get(key, strlen(key), &answer);
  if (answer.is_error) refuse_because("STORE_REFUSED", answer.error);
  return answer.is_some ? answer.value : (struct text){NULL, 0};
}

// Gives a key a value, in place of the one that it had.
static inline void store_set(const char *key, struct text value) {
  struct store_unit answer;
  host_store_set(key, strlen(key), value.at, value.len, &answer);
  if (answer.is_error) refuse_because("STORE_REFUSED", answer.error);
}

// Removes a key. It is no error if there is none.
static inline void store_delete(const char *key) {
  struct store_unit answer;
  host_store_delete(key, strlen(key), &answer);
  if (answer.is_error) refuse_because("STORE_REFUSED", answer.error);
}

// The keys that begin with the prefix, sorted. Returns their number.
static inline size_t store_list(const char *prefix, const struct text **keys) {
  struct store_keys answer;
  host_store_list(prefix, strlen(prefix), &answer);
  if (answer.is_error) refuse_because("STORE_REFUSED", answer.error);
  *keys = answer.keys;
  return answer.count;
}

COMPONENT_TYPE("narratoria:host@0.1.0:keeps",
  "\\000asm\\015\\000\\001\\000\\000\\031\\026wit-component-encoding\\004\\000\\007\\266\\001\\001A\\002\\001A"
  "\\002\\001B\\015\\001ks\\001j\\001\\000\\001s\\001@\\001\\003keys\\000\\001\\004\\000\\003get\\001\\002\\001"
  "j\\000\\001s\\001@\\002\\003keys\\005values\\000\\003\\004\\000\\003set\\001\\004\\001@\\001\\003keys\\000"
  "\\003\\004\\000\\006delete\\001\\005\\001ps\\001j\\001\\006\\001s\\001@\\001\\006prefixs\\000\\007\\004\\000"
  "\\004list\\001\\010\\003\\000\\033narratoria:host/store@0.1.0\\005\\000\\004\\000\\033narratoria:host/keeps@"
  "0.1.0\\004\\000\\013\\013\\001\\000\\005keeps\\003\\000\\000\\000/\\011producers\\001\\014processed-by\\001"
  "\\015wit-component\\0070.254.2");
