    def test_the_map_is_written_and_announced(self):
        said = stubs.call(SCRIPT, {}).run()
        self.assertEqual(said.files["{{script}}.txt"], b"mill --- ford --- harbour\n")
        self.assertEqual([event["type"] for event in said.events], ["asset"])
