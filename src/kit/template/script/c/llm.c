static void tell(struct text request) {
  (void)request;
  struct llm_reply reply = llm_generate((struct llm_request){
    .system = "You describe what a traveller sees, in one or two sentences.",
    .prompt = "The harbour at dusk.",
    .tokens_max = 80,
    .temperature = 0.8f,
    .aloud = true,
  });
  // The player may have no model, and `skill test` has none: the script must work without one.
  struct text text = reply.is_error ? text_of("The harbour is quiet.") : reply.text;
  say_done(text.at, text.len);
}
