// The script `{{script}}` without a sandbox: `npm test`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { call, script } from "./stubs.mjs";

const tested = await script("{{script}}");

{{test}}
