  struct stub_call *call = stub_call("{}");
  stub_model_writes(call, "Red sails come in.");
  struct stub_result said = stub_run(script, call);
  stub_expect_text(&said, "text", "Red sails come in.");
  // It does without a model.
  said = stub_run(script, stub_call("{}"));
  stub_expect_text(&said, "text", "The harbour is quiet.");
