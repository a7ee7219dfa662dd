  struct stub_call *call = stub_call("{}");
  stub_config(call, "{\"greeting\":\"Hail\"}");
  struct stub_result said = stub_run(script, call);
  stub_expect_text(&said, "text", "Hail, traveller.");
  // A greeting that is no text is refused.
  stub_config(call, "{\"greeting\":7}");
  said = stub_run(script, call);
  stub_expect_error(&said, "INVALID_CONFIG");
