  struct stub_call *call = stub_call("{}");
  stub_web_answers(call, ADDRESS, 200, "The sky is red.");
  struct stub_result said = stub_run(script, call);
  stub_expect_text(&said, "text", "The sky is red.");
  // It does without an answer.
  said = stub_run(script, stub_call("{}"));
  stub_expect_text(&said, "text", "The sky is grey.");
