// Ten views at the size of a phone, each compared with a picture in `references`: blocks of points by their mean colour, so that
// a hair's breadth is no difference and a broken layout is one. `--bless` writes the pictures again. Letters differ from
// machine to machine, so on one whose letters have other widths nothing is compared.
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { SIZES } from "./browser.mjs";
import { begin, say, send } from "./player.mjs";

const FOLDER = new URL("references/", import.meta.url);
const LETTERS = new URL("letters.json", FOLDER);

/** The pictures are half as wide and half as high as the window. */
const HALF = { width: SIZES.phone.width / 2, height: SIZES.phone.height / 2 };
/** Points along a side of a block. */
const BLOCK = 4;
/** Two blocks differ where a colour is further apart than this, of 255. */
const COLOUR_APART = 40;
/** The share of blocks that may differ. */
const SHARE_MAX = 0.03;

/** How wide a sentence is in each of the page's families of letters. */
const letters = (page) =>
  page.evaluate(() => {
    const pen = document.createElement("canvas").getContext("2d");
    return ["--serif", "--sans", "--mono"].map((family) => {
      pen.font = `100px ${getComputedStyle(document.documentElement).getPropertyValue(family)}`;
      return Math.round(pen.measureText("Sphinx of black quartz, judge my vow.").width);
    });
  });

/** Works with pictures in a browser, on a page without a policy. Half of a picture's width is enough to look at. */
function inBrowser(blank, pictures, work) {
  return blank.evaluate(
    async ({ data, width, height, work, block, apart }) => {
      const drawn = async (bytes) => {
        const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${bytes}`)).blob());
        const canvas = new OffscreenCanvas(width, height);
        const pen = canvas.getContext("2d");
        pen.imageSmoothingQuality = "high";
        pen.drawImage(picture, 0, 0, width, height);
        return { canvas, points: pen.getImageData(0, 0, width, height).data };
      };
      const [first, second] = await Promise.all(data.map(drawn));
      if (work === "halve") {
        const bytes = new Uint8Array(await (await first.canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
        return [...bytes];
      }
      const across = Math.ceil(width / block);
      const means = (points) => {
        const sums = new Float64Array(across * Math.ceil(height / block) * 4);
        for (let at = 0; at < points.length; at += 4) {
          const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
          const to = (Math.floor(y / block) * across + Math.floor(x / block)) * 4;
          for (let colour = 0; colour < 3; colour += 1) sums[to + colour] += points[at + colour];
          sums[to + 3] += 1;
        }
        return sums;
      };
      const [a, b] = [means(first.points), means(second.points)];
      let differ = 0;
      for (let at = 0; at < a.length; at += 4) {
        const isFar = [0, 1, 2].some((colour) => Math.abs(a[at + colour] / a[at + 3] - b[at + colour] / b[at + 3]) > apart);
        differ += isFar ? 1 : 0;
      }
      return differ / (a.length / 4);
    },
    { data: pictures.map((bytes) => bytes.toString("base64")), ...HALF, work, block: BLOCK, apart: COLOUR_APART },
  );
}

export async function play({ part, url, bless }) {
  const compare = async (visitor, name) => {
    const picture = await visitor.page.screenshot({ animations: "disabled", caret: "hide" });
    const file = new URL(`${name}.png`, FOLDER);
    if (!bless && !existsSync(file)) return visitor.expect(false, `${name}: there is no picture; \`--bless\` writes it`);
    const blank = await visitor.context.newPage();
    if (bless) {
      await writeFile(file, Buffer.from(await inBrowser(blank, [picture], "halve")));
      return blank.close();
    }
    const share = await inBrowser(blank, [await readFile(file), picture], "compare");
    await blank.close();
    if (share > SHARE_MAX) {
      visitor.expect(false, `${name}: ${Math.round(share * 100)} of 100 blocks differ; \`--bless\` takes it as it is`);
      await visitor.screenshot(`differs-${name}`);
    }
  };

  /** True if the letters of this machine are those of the pictures. */
  const isComparable = async (page) => {
    const widths = await letters(page);
    if (bless) {
      await mkdir(FOLDER, { recursive: true });
      await writeFile(LETTERS, `${JSON.stringify(widths)}\n`);
      return true;
    }
    const known = JSON.parse(await readFile(LETTERS, "utf8").catch(() => "[]"));
    const isSame = widths.every((width, at) => Math.abs(width - (known[at] ?? 0)) <= width / 200);
    if (!isSame) console.log(`– views of a phone: left out, the letters of this machine are ${widths}, those of the pictures ${known}`);
    return isSame;
  };

  for (const scheme of ["light", "dark"]) {
    const options = { size: "phone", scheme, hasTouch: true, isMobile: true, reducedMotion: "reduce" };
    await part(`views of a phone, ${scheme}`, options, async (visitor, page) => {
      await page.goto(url);
      await page.waitForSelector(".campaign");
      if (!(await isComparable(page))) return;
      // The pictures of the campaigns, too.
      await page.waitForFunction(() => [...document.images].every((image) => image.complete));
      await compare(visitor, `home-${scheme}`);
      await page.goto(`${url}#/story/night`);
      await page.waitForSelector(".recap");
      await compare(visitor, `return-${scheme}`);
      await begin(page, url);
      await say(page, "look around");
      await compare(visitor, `story-${scheme}`);
      if (scheme === "dark") return;
      await page.getByRole("button", { name: "Notebook" }).click();
      for (const name of ["Here", "Map", "Journal"]) {
        await page.getByRole("tab", { name, exact: true }).click();
        await page.waitForTimeout(400);
        await compare(visitor, `notebook-${name.toLowerCase()}`);
      }
      await page.keyboard.press("Escape");
      await send(page, "I ask a question");
      await page.waitForSelector(".request");
      await page.waitForTimeout(300);
      await compare(visitor, "question");
    });
  }
}
