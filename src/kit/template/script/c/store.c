static void tell(struct text request) {
  (void)request;
  // Values are text.
  struct text kept = store_get("visits");
  uint64_t visits = 0;
  if (kept.at && !read_u64(kept, &visits)) refuse("STORE_UNREADABLE", "the kept number of visits is none");
  char number[24], text[64];
  int number_len = snprintf(number, sizeof number, "%llu", (unsigned long long)(visits + 1));
  // It is kept only if the script ends well, and undoing the turn undoes it.
  store_set("visits", (struct text){number, (size_t)number_len});
  int len = snprintf(text, sizeof text, "This is visit number %s.", number);
  say_done(text, (size_t)len);
}
