"""The script without a sandbox: `python3 -m unittest discover tests`."""

import json
import pathlib
import sys
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PACKAGE / "src"))

import tell  # noqa: E402
import wire  # noqa: E402


def events(data):
    lines = []
    wire.answer(data, tell, lines.append)
    return [json.loads(line) for line in lines]


def call(request):
    return events(json.dumps(request).encode())


class Tell(unittest.TestCase):
    def test_every_omen_names_what_it_is_about(self):
        for seed in range(len(tell.OMENS)):
            said = call({"input": {"about": " the mill "}, "seed": seed})
            self.assertTrue(said[-1]["ok"])
            self.assertIn(" the mill: ", said[-1]["output"]["text"])

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
