    def test_the_answer_of_the_host_is_told(self):
        said = stubs.call(SCRIPT, {}).web_answers(SCRIPT.ADDRESS, "The sky is red.").run()
        self.assertEqual(said.output["text"], "The sky is red.")
        self.assertEqual(said.requests[0].method, "GET")

    def test_it_does_without_an_answer(self):
        self.assertEqual(stubs.call(SCRIPT, {}).run().output["text"], "The sky is grey.")
