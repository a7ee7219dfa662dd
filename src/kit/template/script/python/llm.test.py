    def test_the_text_of_the_model_is_told(self):
        said = stubs.call(SCRIPT, {}).model_writes("Red sails come in.").run()
        self.assertEqual(said.output["text"], "Red sails come in.")
        self.assertEqual(said.prose[0].prompt, "The harbour at dusk.")

    def test_it_does_without_a_model(self):
        said = stubs.call(SCRIPT, {}).model_fails(stubs.llm.Error_TimedOut()).run()
        self.assertEqual(said.output["text"], "The harbour is quiet.")
