static void tell(struct text request) {
  // 40 characters of at most 4 bytes.
  char text[160 + 16] = "Welcome";
  size_t len = strlen(text);
  // The host fills in the defaults of `config-schema.json`.
  struct text config = member(request, "config");
  if (config.at && *config.at != '{') refuse("INVALID_REQUEST", "`config` is not an object");
  struct text greeting = config.at ? member(config, "greeting") : config;
  if (greeting.at && !read_string(greeting, text, 160, &len)) {
    refuse("INVALID_CONFIG", "`config.greeting` is no string, or too long");
  }
  static const char rest[] = ", traveller.";
  memcpy(text + len, rest, sizeof rest - 1);
  say_done(text, len + sizeof rest - 1);
}
