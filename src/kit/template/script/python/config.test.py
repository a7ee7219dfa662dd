    def test_the_player_chooses_the_greeting(self):
        said = stubs.call(SCRIPT, {}).config({"greeting": "Hail"}).run()
        self.assertEqual(said.output["text"], "Hail, traveller.")

    def test_a_greeting_that_is_no_text_is_refused(self):
        said = stubs.call(SCRIPT, {}).config({"greeting": 7}).run()
        self.assertEqual(said.error_code, "INVALID_CONFIG")
