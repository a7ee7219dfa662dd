  struct stub_call *call = stub_call("{}");
  stub_answer(call, "Ada");
  struct stub_result said = stub_run(script, call);
  stub_expect_text(&said, "text", "The guard lets Ada pass.");
  // Without an answer a stranger passes.
  said = stub_run(script, stub_call("{}"));
  stub_expect_text(&said, "text", "The guard lets a stranger pass.");
