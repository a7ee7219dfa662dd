static void tell(struct text request) {
  (void)request;
  // Every skill with this grant sees the same texts; tags narrow the search.
  const struct text tags[] = {text_of("place"), text_of("ferry")};
  const struct memory_entry *known;
  if (memory_recall("the ferry", tags, 1, 1, &known) > 0) {
    say_done(known[0].text.at, known[0].text.len);
    return;
  }
  memory_remember("Mira keeps the ferry.", tags, 2);
  static const char text[] = "Nobody has spoken of the ferry yet.";
  say_done(text, strlen(text));
}
