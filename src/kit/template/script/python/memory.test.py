    def test_it_recalls_what_is_remembered(self):
        asked = stubs.call(SCRIPT, {})
        self.assertEqual(asked.run().remembered[0].text, "Mira keeps the ferry.")
        said = asked.remembered("The ferry sank.", ["place", "ferry"]).run()
        self.assertEqual(said.output["text"], "The ferry sank.")
