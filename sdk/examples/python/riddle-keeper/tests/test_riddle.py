"""The script without a sandbox: `python3 -m unittest discover tests`."""

import json
import pathlib
import sys
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PACKAGE / "src"))

import riddle  # noqa: E402
import wire  # noqa: E402


def events(data):
    lines = []
    wire.answer(data, riddle, lines.append)
    return [json.loads(line) for line in lines]


def call(answer="", seed=0, **kept):
    request = {"input": {"answer": answer}, "state": {"riddles": kept}, "seed": seed}
    return events(json.dumps(request).encode())


class Riddle(unittest.TestCase):
    def test_every_riddle_takes_each_of_its_answers(self):
        for name, (_, answers) in riddle.RIDDLES.items():
            for answer in answers:
                said = call(f"It is {answer}!", open=name)
                self.assertEqual(said[-1]["output"]["outcome"], "right", (name, answer))

    def test_what_was_solved_is_not_posed_again_until_all_are(self):
        names = list(riddle.RIDDLES)
        for seed in range(20):
            patch = call(seed=seed, solved=names[1:])[1]["patch"]
            self.assertEqual(patch["riddles"]["open"], names[0])
        patch = call(solved=names)[1]["patch"]
        self.assertEqual(patch["riddles"]["solved"], [])

    def test_the_third_wrong_answer_ends_it(self):
        said = call("a cloud", open="river", wrong=2)
        self.assertEqual(said[-1]["output"], {"text": "No. It was a river.", "outcome": "given-up", "triesLeft": 0})

    def test_whatever_arrives_a_proper_failure_leaves(self):
        bad = [b"\xff", b"[]", b"{", b"[" * 100_000, b'{"input":7}', b'{"input":{"answer":7}}', b"NaN",
               b'{"input":{"answer":"\\ud800"}}', b'{"state":[]}', b'{"seed":"x"}', b'{"operation":"dance"}',
               b'{"state":{"riddles":{"open":[],"solved":7}}}', b'{"input":{"answer":"x"}}',
               b'{"state":{"riddles":{"open":[]}},"input":{"answer":"x"}}']
        for data in bad:
            said = events(data)
            self.assertEqual([event["type"] for event in said], ["error", "done"], data[:40])
            self.assertNotEqual(said[0]["errorCode"], "SCRIPT_FAULT", said)

    def test_the_schema_files_are_those_of_the_script(self):
        for name, schema in [("input", riddle.INPUT), ("output", riddle.OUTPUT)]:
            file = PACKAGE / "schemas" / f"riddle.{name}.json"
            self.assertEqual(json.loads(file.read_text()), schema)


if __name__ == "__main__":
    unittest.main()
