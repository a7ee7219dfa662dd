"""The script `{{script}}` without a sandbox: `python3 -m unittest discover tests`."""

import unittest

import stubs

SCRIPT = stubs.script("{{script}}")


class Test(unittest.TestCase):
{{test}}


if __name__ == "__main__":
    unittest.main()
