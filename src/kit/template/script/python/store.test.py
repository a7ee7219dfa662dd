    def test_each_visit_counts(self):
        said = stubs.call(SCRIPT, {}).kept("visits", "2").run()
        self.assertEqual(said.output["text"], "This is visit number 3.")
        self.assertEqual(said.kept["visits"], "3")
