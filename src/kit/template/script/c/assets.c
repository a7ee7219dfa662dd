static void tell(struct text request) {
  (void)request;
  FILE *file = fopen("/assets/{{script}}.txt", "w");
  if (!file) refuse("NOT_WRITTEN", "the map cannot be written");
  bool written = fputs("mill --- ford --- harbour\n", file) >= 0;
  if (fclose(file) != 0 || !written) refuse("NOT_WRITTEN", "the map cannot be written");
  // Only a file that is announced is kept with the turn.
  puts("{\"version\":\"0\",\"type\":\"asset\",\"assetId\":\"map\",\"kind\":\"map\",\"mediaType\":\"text/plain\","
       "\"path\":\"{{script}}.txt\"}");
  static const char text[] = "You draw a map of the way to the harbour.";
  say_done(text, strlen(text));
}
