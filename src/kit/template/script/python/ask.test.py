    def test_the_guard_repeats_the_answer(self):
        said = stubs.call(SCRIPT, {}).answer("Ada").run()
        self.assertEqual(said.output["text"], "The guard lets Ada pass.")

    def test_without_an_answer_a_stranger_passes(self):
        said = stubs.call(SCRIPT, {}).run()
        self.assertEqual(said.output["text"], "The guard lets a stranger pass.")
