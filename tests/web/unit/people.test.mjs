import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { portraitsOf } = await page("gallery.js");
const { addressOf } = await page("watchers.js");
const { ApiError } = await page("api.js");

const drawn = (turn, name, path, kind = "portrait") => ({ turn, kind, path, metadata: { name } });

test("a person has the portrait that was drawn last, whatever the order of the document", () => {
  const assets = [drawn(7, "Mira", "assets/b.svg"), drawn(2, "mira", "assets/a.svg"), drawn(3, "Mira", "assets/map.svg", "map")];
  const portraits = portraitsOf({ assets: [...assets, { turn: 4, kind: "portrait", path: "assets/c.svg" }] });
  assert.deepEqual([...portraits.keys()], ["mira"]);
  assert.equal(portraits.get("mira").path, "assets/b.svg");
  assert.equal(portraitsOf(null).size, 0);
});

test("a link is an address of the server that the page is from", () => {
  assert.equal(addressOf({ path: "/#r=abc" }, "https://tales.example.org"), "https://tales.example.org/#r=abc");
});

test("an error has the notes that the importer made", () => {
  const error = new ApiError(400, { kind: "bad-input", message: "no", hints: [], notes: ["`depth` has no place"] });
  assert.deepEqual(error.notes, ["`depth` has no place"]);
  assert.deepEqual(new ApiError(0).notes, []);
});
