    def test_it_says_what_it_does(self):
        said = stubs.call(SCRIPT, {}).run()
        self.assertEqual([event["type"] for event in said.events], ["log"])
