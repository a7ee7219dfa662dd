  struct stub_result said = stub_run(script, stub_call("{}"));
  stub_expect_file(&said, "{{script}}.txt", "mill --- ford --- harbour\n");
