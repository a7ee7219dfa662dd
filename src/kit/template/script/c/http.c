// Its host is named in `skill.json`, under `grants`.
#define ADDRESS "https://api.example.com/sky"

// Longest answer that is told, in bytes.
#define SKY_BYTES_MAX 400

static void tell(struct text request) {
  (void)request;
  struct http_answer answer;
  struct text text = text_of("The sky is grey.");
  // The player may be offline, and `skill test` always is: the script must work without an answer.
  if (http_get(ADDRESS, &answer) && answer.status == 200 && answer.body.len <= SKY_BYTES_MAX &&
      is_utf8((const unsigned char *)answer.body.at, answer.body.len)) {
    text = answer.body;
  }
  say_done(text.at, text.len);
}
