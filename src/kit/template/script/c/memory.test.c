  struct stub_call *call = stub_call("{}");
  struct stub_result said = stub_run(script, call);
  stub_expect_remembered(&said, "Mira keeps the ferry.");
  static const char *const tags[] = {"place", "ferry", NULL};
  stub_remembered(call, "The ferry sank.", tags);
  said = stub_run(script, call);
  stub_expect_text(&said, "text", "The ferry sank.");
