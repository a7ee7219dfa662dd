// The host in tests: a script runs as an ordinary program, and the test says what the host answers.
//
//     struct stub_call *call = stub_call("{}");
//     stub_config(call, "{\"greeting\":\"Hail\"}");
//     struct stub_result said = stub_run(script, call);
//     stub_expect_text(&said, "text", "Hail, traveller.");
//
// The test includes this file, then the source of the script, whose `main` it calls by another name. Each run is a process
// of its own (`fork`), because a script may end anywhere. Nothing here is about any skill. The host's limits and the
// grants of `skill.json` do not hold here: `narratoria skill test` runs the component itself.
#pragma once
#define STUBS_H
// `fork` and its like.
#define _DEFAULT_SOURCE

#include <stdio.h>

// A script waits for an answer behind the end of its request, and writes files to `/assets`.
static inline void stub_clearerr(FILE *stream);
static inline FILE *stub_fopen(const char *path, const char *mode);
#define clearerr(stream) stub_clearerr(stream)
#define fopen(path, mode) stub_fopen(path, mode)

#include "../src/wire.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STUB_COUNT_MAX 16
#define STUB_KEY_BYTES_MAX 256
#define STUB_TEXT_BYTES_MAX 4096
#define STUB_TAGS_MAX 8

struct stub_page {
  const char *url, *body;
  unsigned status;
};

struct stub_entry {
  char key[STUB_KEY_BYTES_MAX + 1], value[STUB_TEXT_BYTES_MAX + 1];
};

struct stub_memory {
  char text[STUB_TEXT_BYTES_MAX + 1];
  char tags[STUB_TAGS_MAX][STUB_KEY_BYTES_MAX + 1];
  size_t tags_count;
};

// What the host sends and answers. It lies in memory that the script's process shares with the test, so that the test
// sees what the script keeps.
struct stub_call {
  const char *input, *config, *state, *inputs;
  uint64_t seed;
  const char *answers[STUB_COUNT_MAX], *texts[STUB_COUNT_MAX];
  struct stub_page pages[STUB_COUNT_MAX];
  struct stub_entry kept[STUB_COUNT_MAX];
  struct stub_memory remembered[STUB_COUNT_MAX];
  size_t answers_count, texts_count, pages_count, kept_count, remembered_count;
  // How many of them were taken.
  size_t answers_taken, texts_taken;
};

// What came of a run. The host stores changes only if `ok` is true.
struct stub_result {
  // With the store and the memory afterwards.
  struct stub_call *call;
  bool ok;
  // Everything that the script wrote, and the output in it.
  const char *lines;
  struct text output;
  // The files in `/assets`.
  struct stub_entry files[STUB_COUNT_MAX];
  size_t files_count;
};

static inline _Noreturn void stub_fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static inline void stub_check_room(size_t count) {
  if (count >= STUB_COUNT_MAX) stub_fail("a test has at most 16 of each kind");
}

static inline void stub_copy(char *into, size_t room, const char *from, size_t len) {
  if (len >= room) stub_fail("a text is longer than a test may have it");
  memcpy(into, from, len);
  into[len] = 0;
}

// ---- what the host sends and answers -----------------------------------------------------------------

// A call of a script with this input, which is JSON.
static inline struct stub_call *stub_call(const char *input) {
  struct stub_call *call = mmap(NULL, sizeof *call, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
  if (call == MAP_FAILED) stub_fail("there is no memory for the call");
  call->input = input;
  call->config = call->state = call->inputs = "{}";
  return call;
}

static inline void stub_seed(struct stub_call *call, uint64_t seed) { call->seed = seed; }
static inline void stub_state(struct stub_call *call, const char *state) { call->state = state; }
static inline void stub_config(struct stub_call *call, const char *config) { call->config = config; }
// Sets the outputs of earlier steps.
static inline void stub_inputs(struct stub_call *call, const char *inputs) { call->inputs = inputs; }

// Adds an answer to the script's questions, in order. A question without one stays without answer.
static inline void stub_answer(struct stub_call *call, const char *answer) {
  stub_check_room(call->answers_count);
  call->answers[call->answers_count++] = answer;
}

static inline struct stub_entry *stub_find(struct stub_call *call, const char *key, size_t len) {
  for (size_t n = 0; n < call->kept_count; n++)
    if (strlen(call->kept[n].key) == len && memcmp(call->kept[n].key, key, len) == 0) return &call->kept[n];
  return NULL;
}

static inline void stub_keep(struct stub_call *call, const char *key, size_t key_len, const char *value, size_t len) {
  struct stub_entry *entry = stub_find(call, key, key_len);
  if (!entry) {
    stub_check_room(call->kept_count);
    entry = &call->kept[call->kept_count++];
  }
  stub_copy(entry->key, sizeof entry->key, key, key_len);
  stub_copy(entry->value, sizeof entry->value, value, len);
}

// Adds an entry to the store of the skill.
static inline void stub_kept(struct stub_call *call, const char *key, const char *value) {
  stub_keep(call, key, strlen(key), value, strlen(value));
}

static inline struct stub_memory *stub_memorise(struct stub_call *call, const char *text, size_t len) {
  stub_check_room(call->remembered_count);
  struct stub_memory *memory = &call->remembered[call->remembered_count++];
  stub_copy(memory->text, sizeof memory->text, text, len);
  memory->tags_count = 0;
  return memory;
}

static inline void stub_tag(struct stub_memory *memory, const char *tag, size_t len) {
  if (memory->tags_count == STUB_TAGS_MAX) stub_fail("a text has at most 8 tags");
  stub_copy(memory->tags[memory->tags_count++], sizeof *memory->tags, tag, len);
}

// Adds a text to the story's memory, the oldest first. `tags` ends with NULL; NULL for none.
static inline void stub_remembered(struct stub_call *call, const char *text, const char *const *tags) {
  struct stub_memory *memory = stub_memorise(call, text, strlen(text));
  for (; tags && *tags; tags++) stub_tag(memory, *tags, strlen(*tags));
}

// Adds an answer to requests to this address. Requests without an answer are refused.
static inline void stub_web_answers(struct stub_call *call, const char *url, unsigned status, const char *body) {
  stub_check_room(call->pages_count);
  call->pages[call->pages_count++] = (struct stub_page){url, body, status};
}

// Adds a text of the language model. Each text answers one call; without any, there is no model.
static inline void stub_model_writes(struct stub_call *call, const char *text) {
  stub_check_room(call->texts_count);
  call->texts[call->texts_count++] = text;
}

// ---- the run -----------------------------------------------------------------------------------------

// The call that is running, in the script's process alone.
static struct stub_call *stub_now;

// The folder of the run: the request, and what the script writes to `/assets`.
static char stub_folder[256];

static inline void stub_path(char *into, size_t room, const char *kind, const char *name) {
  int len = snprintf(into, room, "%s/%s%s", stub_folder, kind, name);
  if (len < 0 || (size_t)len >= room) stub_fail("a path is too long");
}

static inline FILE *stub_open(const char *kind, const char *name, const char *mode) {
  char path[512];
  stub_path(path, sizeof path, kind, name);
  return (fopen)(path, mode);
}

// A script says with `clearerr` that it waits for an answer, which follows behind the end of the request.
static inline void stub_clearerr(FILE *stream) {
  if (stub_now && stream == stdin && stub_now->answers_taken < stub_now->answers_count) {
    FILE *request = stub_open("", "request", "a");
    if (!request) stub_fail("there is no place for the answer");
    fputs("{\"answer\":\"", request);
    for (const char *at = stub_now->answers[stub_now->answers_taken++]; *at; at++) {
      if ((unsigned char)*at < 0x20) fprintf(request, "\\u%04x", *at);
      else fprintf(request, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    }
    fputs("\"}\n", request);
    fclose(request);
  }
  (clearerr)(stream);
}

static inline FILE *stub_fopen(const char *path, const char *mode) {
  bool is_asset = stub_now && strncmp(path, "/assets/", 8) == 0;
  return is_asset ? stub_open("asset-", path + 8, mode) : (fopen)(path, mode);
}

// The text of a file of the run, which goes away.
static inline const char *stub_take(const char *kind, const char *name) {
  FILE *file = stub_open(kind, name, "r");
  long len = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  // Zeroed.
  char *text = len >= 0 ? mmap(NULL, (size_t)len + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0) : MAP_FAILED;
  if (text == MAP_FAILED) stub_fail("a file of the run cannot be read");
  rewind(file);
  if (fread(text, 1, (size_t)len, file) != (size_t)len) stub_fail("a file of the run cannot be read");
  fclose(file);
  char path[512];
  stub_path(path, sizeof path, kind, name);
  remove(path);
  return text;
}

// The script's process.
static inline _Noreturn void stub_begin(int (*script)(void), struct stub_call *call) {
  char in[512], out[512];
  stub_now = call;
  stub_path(in, sizeof in, "", "request");
  stub_path(out, sizeof out, "", "output");
  if (!freopen(in, "r", stdin) || !freopen(out, "w", stdout)) stub_fail("the script gets no request");
  exit(script());
}

static inline void stub_take_assets(struct stub_result *said) {
  DIR *folder = opendir(stub_folder);
  if (!folder) return;
  for (struct dirent *file; (file = readdir(folder));) {
    if (strncmp(file->d_name, "asset-", 6) != 0) continue;
    stub_check_room(said->files_count);
    struct stub_entry *entry = &said->files[said->files_count++];
    const char *text = stub_take("", file->d_name);
    stub_copy(entry->key, sizeof entry->key, file->d_name + 6, strlen(file->d_name + 6));
    stub_copy(entry->value, sizeof entry->value, text, strlen(text));
  }
  closedir(folder);
}

// Runs the script, which is its `main`. Another run of the call goes on with what this one kept.
static inline struct stub_result stub_run(int (*script)(void), struct stub_call *call) {
  const char *place = getenv("TMPDIR");
  snprintf(stub_folder, sizeof stub_folder, "%s/stubs-XXXXXX", place ? place : "/tmp");
  FILE *request = mkdtemp(stub_folder) ? stub_open("", "request", "w") : NULL;
  if (!request) stub_fail("there is no place for the request");
  fprintf(request, "{\"requestId\":\"test\",\"tool\":\"tested\",\"operation\":\"run\",\"input\":%s,\"config\":%s,", call->input, call->config);
  fprintf(request, "\"state\":%s,\"inputs\":%s,\"seed\":%llu}\n", call->state, call->inputs, (unsigned long long)call->seed);
  fclose(request);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) stub_begin(script, call);
  int status = 0;
  if (child == -1 || waitpid(child, &status, 0) != child) stub_fail("there is no process for the script");

  struct stub_result said = {.call = call, .lines = stub_take("", "output")};
  stub_take("", "request");
  stub_take_assets(&said);
  rmdir(stub_folder);
  const char *end = said.lines + strlen(said.lines), *last = said.lines;
  for (const char *at = said.lines; at < end; at++)
    if (*at == '\n' && at + 1 < end) last = at + 1;
  const char *after = last < end && *last == '{' ? check_value(last, end, 0) : NULL;
  struct text done = {last, after ? (size_t)(after - last) : 0};
  if (status != 0 || !after || !is_text(member(done, "type"), "\"done\"")) {
    fprintf(stderr, "the script ended without `done`, with the status %d; it wrote:\n%s", status, said.lines);
    exit(1);
  }
  said.ok = is_text(member(done, "ok"), "true");
  said.output = member(done, "output");
  return said;
}

// ---- what is expected --------------------------------------------------------------------------------

static inline void stub_expect(const struct stub_result *said, const char *what, const char *expected, const char *found) {
  if (found && strcmp(expected, found) == 0) return;
  fprintf(stderr, "%s: expected is `%s`, it is `%s`; the script wrote:\n%s", what, expected, found ? found : "nothing", said->lines);
  exit(1);
}

// A text of the output.
static inline void stub_expect_text(const struct stub_result *said, const char *field, const char *expected) {
  char found[STUB_TEXT_BYTES_MAX + 1];
  size_t len;
  bool is_text = said->output.at && read_string(member(said->output, field), found, STUB_TEXT_BYTES_MAX, &len);
  if (is_text) found[len] = 0;
  stub_expect(said, field, expected, is_text ? found : NULL);
}

// The code of an error. The script has said that it cannot do its work.
static inline void stub_expect_error(const struct stub_result *said, const char *code) {
  char wanted[STUB_KEY_BYTES_MAX];
  snprintf(wanted, sizeof wanted, "\"errorCode\":\"%s\"", code);
  bool is_said = !said->ok && strstr(said->lines, wanted);
  stub_expect(said, "the code of the error", code, is_said ? code : NULL);
}

// A value in the store of the skill.
static inline void stub_expect_kept(const struct stub_result *said, const char *key, const char *expected) {
  struct stub_entry *entry = stub_find(said->call, key, strlen(key));
  stub_expect(said, key, expected, entry ? entry->value : NULL);
}

// The newest text in the story's memory.
static inline void stub_expect_remembered(const struct stub_result *said, const char *expected) {
  size_t count = said->call->remembered_count;
  stub_expect(said, "the memory", expected, count > 0 ? said->call->remembered[count - 1].text : NULL);
}

// The content of a file in `/assets`.
static inline void stub_expect_file(const struct stub_result *said, const char *name, const char *expected) {
  const char *found = NULL;
  for (size_t n = 0; n < said->files_count; n++)
    if (strcmp(said->files[n].key, name) == 0) found = said->files[n].value;
  stub_expect(said, name, expected, found);
}

// ---- the functions of the host -----------------------------------------------------------------------

#if __has_include("../src/store.h")
#include "../src/store.h"

void host_store_get(const char *key, size_t key_len, struct store_value *answer) {
  struct stub_entry *entry = stub_find(stub_now, key, key_len);
  *answer = (struct store_value){.is_some = entry != NULL};
  if (entry) answer->value = text_of(entry->value);
}

void host_store_set(const char *key, size_t key_len, const char *value, size_t value_len, struct store_unit *answer) {
  stub_keep(stub_now, key, key_len, value, value_len);
  answer->is_error = 0;
}

void host_store_delete(const char *key, size_t key_len, struct store_unit *answer) {
  struct stub_entry *entry = stub_find(stub_now, key, key_len);
  if (entry) *entry = stub_now->kept[--stub_now->kept_count];
  answer->is_error = 0;
}

static inline int stub_order(const void *one, const void *other) {
  return strcmp(((const struct text *)one)->at, ((const struct text *)other)->at);
}

void host_store_list(const char *prefix, size_t prefix_len, struct store_keys *answer) {
  static struct text keys[STUB_COUNT_MAX];
  *answer = (struct store_keys){.keys = keys};
  for (size_t n = 0; n < stub_now->kept_count; n++)
    if (strncmp(stub_now->kept[n].key, prefix, prefix_len) == 0) keys[answer->count++] = text_of(stub_now->kept[n].key);
  qsort(keys, answer->count, sizeof *keys, stub_order);
}
#endif

#if __has_include("../src/memory.h")
#include "../src/memory.h"

void host_memory_remember(const char *text, size_t len, const struct text *tags, size_t tags_count, struct memory_unit *answer) {
  struct stub_memory *memory = stub_memorise(stub_now, text, len);
  for (size_t n = 0; n < tags_count; n++) stub_tag(memory, tags[n].at, tags[n].len);
  answer->is_error = 0;
}

static inline bool stub_has_tag(const struct stub_memory *memory, struct text tag) {
  for (size_t n = 0; n < memory->tags_count; n++)
    if (is_text(tag, memory->tags[n])) return true;
  return false;
}

// Returns true if a word of the query is a part of the text. The host counts whole words, and knows their stems.
static inline bool stub_has_word(const struct stub_memory *memory, const char *query, size_t len) {
  char words[STUB_TEXT_BYTES_MAX + 1];
  stub_copy(words, sizeof words, query, len);
  bool is_blank = true;
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "), is_blank = false)
    if (strstr(memory->text, word)) return true;
  return is_blank;
}

void host_memory_recall(const char *query, size_t len, const struct text *tags, size_t tags_count, uint32_t max, struct memory_entries *answer) {
  static struct memory_entry entries[STUB_COUNT_MAX];
  static struct text own[STUB_COUNT_MAX][STUB_TAGS_MAX];
  *answer = (struct memory_entries){.entries = entries};
  for (size_t n = stub_now->remembered_count; n-- > 0 && answer->count < max;) {
    const struct stub_memory *memory = &stub_now->remembered[n];
    bool fits = stub_has_word(memory, query, len);
    for (size_t k = 0; k < tags_count; k++) fits = fits && stub_has_tag(memory, tags[k]);
    if (!fits) continue;
    for (size_t k = 0; k < memory->tags_count; k++) own[n][k] = text_of(memory->tags[k]);
    entries[answer->count++] = (struct memory_entry){text_of(memory->text), own[n], memory->tags_count};
  }
}
#endif

#if __has_include("../src/llm.h")
#include "../src/llm.h"

void host_llm_generate(int has_system, const char *system, size_t system_len, const char *prompt, size_t prompt_len,
                       uint32_t tokens_max, float temperature, int aloud, struct llm_reply *reply) {
  (void)has_system, (void)system, (void)system_len, (void)prompt, (void)prompt_len;
  (void)tokens_max, (void)temperature, (void)aloud;
  *reply = (struct llm_reply){.is_error = stub_now->texts_taken == stub_now->texts_count};
  if (reply->is_error) {
    reply->error = LLM_UNAVAILABLE;
    reply->message = text_of("there is no language model");
  } else {
    reply->text = text_of(stub_now->texts[stub_now->texts_taken++]);
    reply->is_complete = 1;
  }
}
#endif

#if __has_include("../src/http.h")
#include "../src/http.h"

static inline bool http_send(enum http_method method, const char *url, const char *media_type, struct text content, struct http_answer *answer) {
  (void)method, (void)media_type, (void)content;
  for (size_t n = 0; n < stub_now->pages_count; n++) {
    const struct stub_page *page = &stub_now->pages[n];
    if (strcmp(page->url, url) != 0) continue;
    *answer = (struct http_answer){page->status, text_of(page->body)};
    return true;
  }
  return false;
}
#endif
