// The language model on the player's machine, through `contracts/wit/llm.wit` of Narratoria. Nothing here is about any
// skill.
#pragma once

#include "host.h"

// What is to be written.
struct llm_request {
  // The writer and the style; NULL for none.
  const char *system;
  const char *prompt;
  // Longest text, 1 to 400.
  uint32_t tokens_max;
  // 0 to 2.
  float temperature;
  // Whether the player reads the text while the model writes it. The output's `text` must begin with it then.
  bool aloud;
};

enum llm_error { LLM_UNAVAILABLE, LLM_REFUSED, LLM_TIMED_OUT, LLM_FAILED };

// What came of it.
struct llm_reply {
  uint8_t is_error;
  union {
    struct {
      struct text text;
      // False if the tokens or the time ended it, perhaps inside a word.
      uint8_t is_complete;
    };
    struct {
      // One of `enum llm_error`.
      uint8_t error;
      // A sentence for people; LLM_TIMED_OUT has none.
      struct text message;
    };
  };
};

HOST("narratoria:host/llm@0.1.0", "generate")
void host_llm_generate(int has_system, const char *system, size_t system_len, const char *prompt, size_t prompt_len,
                       uint32_t tokens_max, float temperature, int aloud, struct llm_reply *reply);

// Writes a text, and waits for it. There may be no model.
static inline struct llm_reply llm_generate(struct llm_request request) {
  struct llm_reply reply;
  const char *system = request.system ? request.system : "";
  host_llm_generate(request.system != NULL, system, strlen(system), request.prompt, strlen(request.prompt),
                    request.tokens_max, request.temperature, request.aloud, &reply);
  return reply;
}

COMPONENT_TYPE("narratoria:host@0.1.0:writes",
  "\\000asm\\015\\000\\001\\000\\000\\031\\026wit-component-encoding\\004\\000\\007\\210\\002\\001A\\002\\001A"
  "\\002\\001B\\012\\001ks\\001r\\005\\006system\\000\\006prompts\\012max-tokensy\\013temperaturev\\005aloud"
  "\\177\\004\\000\\007request\\003\\000\\001\\001r\\002\\004texts\\010complete\\177\\004\\000\\005reply\\003"
  "\\000\\003\\001q\\004\\013unavailable\\001s\\000\\007refused\\001s\\000\\011timed-out\\000\\000\\006failed"
  "\\001s\\000\\004\\000\\005error\\003\\000\\005\\001j\\001\\004\\001\\006\\001@\\001\\007request\\002\\000"
  "\\007\\004\\000\\010generate\\001\\010\\003\\000\\031narratoria:host/llm@0.1.0\\005\\000\\004\\000\\034narra"
  "toria:host/writes@0.1.0\\004\\000\\013\\014\\001\\000\\006writes\\003\\000\\000\\000/\\011producers\\001"
  "\\014processed-by\\001\\015wit-component\\0070.254.2");
