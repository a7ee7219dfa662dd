  struct stub_result said = stub_run(script, stub_call("{}"));
  stub_expect_text(&said, "text", "{{text}}");
  // It takes no input.
  said = stub_run(script, stub_call("{\"about\":7}"));
  stub_expect_error(&said, "INVALID_INPUT");
