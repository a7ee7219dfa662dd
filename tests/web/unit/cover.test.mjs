import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { landscapeOf } = await page("cover.js");
const { coverAddress } = await page("api.js");

test("a campaign without a picture has a drawing of its own, which stays", () => {
  const [hut, again, tower] = [landscapeOf("hut"), landscapeOf("hut"), landscapeOf("tower")];
  assert.deepEqual(hut, again);
  assert.notDeepEqual(hut, tower);
  for (const { sun, hills } of [hut, tower, landscapeOf("")]) {
    assert.ok(sun.cx > sun.r && sun.cx < 320 - sun.r && sun.cy > sun.r, JSON.stringify(sun));
    assert.equal(hills.length, 3);
    for (const hill of hills) assert.match(hill, /^M0 180V\d+Q\d+ \d+ 320 \d+V180Z$/);
  }
});

test("the address of a picture has the name of its campaign as one part", () => {
  assert.equal(coverAddress("a/b c"), "/api/campaigns/a%2Fb%20c/cover");
});
