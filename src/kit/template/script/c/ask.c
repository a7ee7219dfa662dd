static void tell(struct text request) {
  (void)request;
  // 80 characters of at most 4 bytes, and the sentence around them.
  char name[320] = "a stranger", text[320 + 32];
  size_t len = strlen(name);
  // Waiting does not count as the script's time. The choices are suggestions. There may be no player to ask, as in
  // `skill test`.
  static const char *const choices[] = {"A friend", "A stranger"};
  char answer[320];
  size_t answer_len;
  if (ask("Who goes there?", choices, 2, answer, sizeof answer, &answer_len)) {
    memcpy(name, answer, answer_len);
    len = answer_len;
  }
  static const char before[] = "The guard lets ", after[] = " pass.";
  memcpy(text, before, sizeof before - 1);
  memcpy(text + sizeof before - 1, name, len);
  memcpy(text + sizeof before - 1 + len, after, sizeof after - 1);
  say_done(text, sizeof before - 1 + len + sizeof after - 1);
}
