"""The script `tell` without a sandbox: `python3 -m unittest discover tests`."""

import json
import pathlib
import unittest

import stubs

PACKAGE = pathlib.Path(__file__).resolve().parent.parent

tell = stubs.script("tell")
wire = stubs.wire


def events(data):
    lines = []
    wire.answer(data, tell, lines.append)
    return [json.loads(line) for line in lines]


class Tell(unittest.TestCase):
    def test_every_omen_names_what_it_is_about(self):
        for seed in range(len(tell.OMENS)):
            said = stubs.call(tell, {"about": " the mill "}).seed(seed).run()
            self.assertIn(" the mill: ", said.output["text"])
            self.assertEqual(said.patches[0]["omen"]["about"], "the mill")

    def test_whatever_arrives_a_proper_failure_leaves(self):
        bad = [b"\xff", b"[]", b"{", b"[" * 100_000, b'{"input":7}', b'{"input":{"about":7}}', b"NaN",
               b'{"input":{"about":"\\ud800"}}', b'{"input":{}}', b"", b'{"operation":"dance"}']
        for data in bad:
            said = events(data)
            self.assertEqual([event["type"] for event in said], ["error", "done"], data[:40])
            self.assertFalse(said[-1]["ok"])

    def test_the_schema_files_are_those_of_the_script(self):
        for name, schema in [("input", tell.INPUT), ("output", tell.OUTPUT)]:
            file = PACKAGE / "schemas" / f"tell.{name}.json"
            self.assertEqual(json.loads(file.read_text()), schema)


if __name__ == "__main__":
    unittest.main()
