  struct stub_call *call = stub_call("{}");
  stub_kept(call, "visits", "2");
  struct stub_result said = stub_run(script, call);
  stub_expect_text(&said, "text", "This is visit number 3.");
  stub_expect_kept(&said, "visits", "3");
