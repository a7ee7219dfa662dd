// Plays an evening in a real browser and says what is wrong with it.
//
//   usage: node evening.mjs [URL | --program FILE] [--shots FOLDER] [--only WORDS] [--bless]
//
// URL is what `narratoria serve` printed, with its token. FILE is the program: it is started with homes of its own, and tried with
// everything that it can do, such as a reload at each moment. Without either, the server for development is started. --bless
// writes the pictures in `references` again.
import { option } from "./arguments.mjs";
import { startBrowser, Visitor } from "./browser.mjs";
import { startFake } from "./fake-server.mjs";
import { begin, newestTurn, openMenu, paragraphsOf, say, send, turnEnds, turns } from "./player.mjs";
import { startProgram } from "./program.mjs";

const folder = option("--shots");
const only = option("--only", "");
const program = option("--program");
const given = process.argv.slice(2).find((word) => word.startsWith("http"));
const server = program ? await startProgram(program) : null;
const fake = given || server ? null : await startFake({ pace: 2 });
const url = given ?? server?.url ?? fake.url;
const browser = await startBrowser();
const faults = [];

/** Where the live region was watched: its messages, in order. */
async function heard(page) {
  return page.evaluate(() => globalThis.heard ?? []);
}

async function listen(page) {
  await page.evaluate(() => {
    globalThis.heard = [];
    const region = document.getElementById("announcer");
    new MutationObserver((changes) => {
      for (const change of changes) for (const node of change.addedNodes) globalThis.heard.push(node.textContent);
    }).observe(region, { childList: true });
  });
}

async function part(name, options, play) {
  if (!name.includes(only)) return;
  const visitor = await Visitor.open(browser, { folder, ...options });
  try {
    await play(visitor, visitor.page);
  } catch (error) {
    visitor.faults.push(`broke off: ${error.stack}`);
    await visitor.screenshot(`broken-${name.replaceAll(" ", "-")}`);
  }
  for (const fault of visitor.faults) faults.push(`${name}: ${fault}`);
  console.log(`${visitor.faults.length ? "✕" : "✓"} ${name}`);
  await visitor.close();
}

await part("an evening on a desktop", { size: "desktop", scheme: "light" }, async (visitor, page) => {
  await page.goto(url);
  await page.waitForSelector(".campaign");
  await visitor.screenshot("home-desktop-light");
  await visitor.check("start page");
  await begin(page, url);
  await visitor.check("opening");
  await visitor.screenshot("opening-desktop-light");
  await listen(page);
  await say(page, "look around");
  const messages = await heard(page);
  const paragraphs = await paragraphsOf(newestTurn(page));
  visitor.expect(messages[0] === "Writing…", `the first message is “Writing…”: ${messages[0]}`);
  visitor.expect(
    JSON.stringify(messages.slice(1)) === JSON.stringify(paragraphs),
    `each paragraph is said once: ${JSON.stringify(messages)} for ${JSON.stringify(paragraphs)}`,
  );
  visitor.expect(await page.evaluate(() => document.activeElement?.id === "say"), "the focus stays in the field");
  const choices = await page.locator(".choice").allTextContents();
  visitor.expect(choices.length > 0, "choices are offered");
  await say(page, "2");
  const prompt = await newestTurn(page).locator(".prompt").textContent();
  visitor.expect(prompt.toLowerCase() === choices[1].replace(/^\d/, "").toLowerCase(), `a number picks a choice: ${prompt}`);
  const before = await turns(page);
  if (await page.locator(".choice").count()) {
    await page.locator(".choice").first().click();
    await turnEnds(page, before);
  }
  await visitor.screenshot("story-desktop-light");
  await visitor.check("story");
  const count = await turns(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction((number) => document.querySelectorAll(".turn").length < number, count);
  await page.getByRole("button", { name: "Redo" }).click();
  await page.waitForFunction((number) => document.querySelectorAll(".turn").length >= number, count);
  await page.fill("#say", "a sentence that I have not sent");
  await page.reload();
  await page.waitForSelector(".turn");
  visitor.expect((await page.inputValue("#say")) === "a sentence that I have not sent", "what is typed survives a reload");
  visitor.expect((await turns(page)) >= count, "the turns are there after a reload");
  await page.fill("#say", "");
});

await part("what is behind the page", { size: "desktop", scheme: "dark" }, async (visitor, page) => {
  await begin(page, url);
  await page.getByRole("button", { name: "Behind the page" }).click();
  await say(page, "look around");
  await say(page, "take the screen key");
  for (const name of ["Plan", "Changes", "Why", "Turns", "Skills"]) {
    await page.getByRole("tab", { name, exact: true }).click();
    await page.waitForTimeout(400);
    await visitor.screenshot(`behind-${name.toLowerCase()}-desktop-dark`);
    await visitor.check(`behind, ${name}`);
  }
  await page.getByRole("button", { name: "Notebook" }).click();
  for (const name of ["Here", "Map", "Journal", "Memories", "Gallery"]) {
    await page.getByRole("tab", { name, exact: true }).click();
    await page.waitForTimeout(400);
    await visitor.screenshot(`notebook-${name.toLowerCase()}-desktop-dark`);
    await visitor.check(`notebook, ${name}`);
  }
});

await part("branches", { size: "desktop", scheme: "light" }, async (visitor, page) => {
  await begin(page, url);
  await say(page, "look around");
  await say(page, "wait");
  const turn = page.locator(".turn").nth(1);
  await turn.hover();
  await turn.getByRole("button", { name: /more/ }).click();
  await visitor.screenshot("turn-menu-desktop-light");
  await visitor.check("menu of a turn");
  await page.getByRole("button", { name: /Branch from here/ }).click();
  await page.getByLabel("Name of the branch").fill("other way");
  await page.getByRole("button", { name: "Go there" }).click();
  await page.waitForFunction(() => document.querySelector(".place-line").textContent.includes("other-way"));
  await page.waitForFunction(() => document.querySelectorAll(".turn").length === 2);
  await say(page, "go out");
  await send(page, "/history");
  await page.waitForSelector(".view-turns svg");
  await visitor.screenshot("turns-desktop-light");
  await visitor.check("turns");
});

await part("commands and keys", { size: "desktop", scheme: "light" }, async (visitor, page) => {
  await begin(page, url);
  await say(page, "look around");
  await page.locator("#say").pressSequentially("/ma");
  await page.waitForSelector(".offers li");
  await page.press("#say", "ArrowDown");
  await visitor.screenshot("completion-desktop-light");
  await visitor.check("completion");
  await page.press("#say", "Enter");
  await page.press("#say", "Enter");
  await page.waitForSelector(".view-map svg");
  await page.keyboard.press("Escape");
  visitor.expect(await page.evaluate(() => document.activeElement?.id === "say"), "Escape goes back to the field");
  visitor.expect(await page.locator(".side").isHidden(), "Escape closes the panel");
  await page.locator("#say").pressSequentially("/help");
  await page.press("#say", "Escape");
  await page.press("#say", "Enter");
  await page.waitForSelector("dialog[open]");
  await visitor.screenshot("help-desktop-light");
  await visitor.check("help");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Hint" }).click();
  await page.waitForSelector(".note.hint");
  await openMenu(page);
  await page.getByRole("button", { name: /Settings/ }).click();
  await visitor.check("settings");
  await visitor.screenshot("settings-desktop-light");
});

for (const [size, scheme] of [["phone", "light"], ["phone", "dark"], ["narrow", "light"], ["wide", "light"]]) {
  await part(`${size}, ${scheme}`, { size, scheme, hasTouch: size === "phone", isMobile: size === "phone" }, async (visitor, page) => {
    await page.goto(url);
    await page.waitForSelector(".campaign");
    await visitor.screenshot(`home-${size}-${scheme}`);
    await visitor.check("start page");
    await begin(page, url);
    await say(page, "look around");
    await visitor.screenshot(`story-${size}-${scheme}`);
    await visitor.check("story");
    await page.getByRole("button", { name: "Notebook" }).click();
    await page.waitForTimeout(300);
    await visitor.screenshot(`notebook-${size}-${scheme}`);
    await visitor.check("notebook");
  });
}

await part("very large text on a narrow window", { size: "narrow", scheme: "dark", reducedMotion: "reduce" }, async (visitor, page) => {
  await page.goto(url);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByLabel("Very large").check();
  await visitor.check("settings");
  await page.getByRole("button", { name: "Done" }).click();
  await visitor.check("start page");
  await begin(page, url);
  await say(page, "look around");
  await visitor.screenshot("story-huge-narrow-dark");
  await visitor.check("story");
  const field = await page.locator("#say").boundingBox();
  visitor.expect(field.y + field.height <= 640, `the field is in the window: ${JSON.stringify(field)}`);
  const moving = await page.evaluate(() => document.getAnimations().length);
  visitor.expect(moving === 0, `nothing moves where less motion is wanted: ${moving}`);
});

await part("forced colours and paper", { size: "desktop", scheme: "light", forcedColors: "active" }, async (visitor, page) => {
  await begin(page, url);
  await say(page, "look around");
  await page.getByRole("button", { name: "Behind the page" }).click();
  await page.waitForSelector(".view-plan svg");
  await visitor.screenshot("plan-forced-colours");
  await page.emulateMedia({ media: "print", forcedColors: "none" });
  const seen = await page.locator(".composer, .side, .tools").filter({ visible: true }).count();
  visitor.expect(seen === 0, "paper has no controls");
  if (folder) await page.pdf({ path: `${folder}/story.pdf` });
});

await part("a turn by keyboard alone", { size: "desktop", scheme: "light" }, async (visitor, page) => {
  await page.goto(url);
  await page.waitForSelector(".campaign");
  await page.keyboard.press("Tab");
  visitor.expect(await page.evaluate(() => document.activeElement.className === "skip"), "the first stop skips to the content");
  await page.keyboard.press("Enter");
  visitor.expect(await page.evaluate(() => document.activeElement.id === "main"), "the link goes to the content");
  for (let at = 0; at < 40; at += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement.getAttribute("aria-label") === "Begin The Last Reading")) break;
  }
  await page.keyboard.press("Enter");
  await page.waitForSelector(".turn");
  await turnEnds(page, 0);
  const before = await turns(page);
  await page.keyboard.type("look around");
  await page.keyboard.press("Enter");
  await turnEnds(page, before);
  await page.keyboard.press("Shift+Tab");
  visitor.expect(await page.evaluate(() => document.activeElement.classList.contains("choice")), "before the field are the choices");
  await page.keyboard.press("Enter");
  await turnEnds(page, before + 1);
  visitor.expect(await page.evaluate(() => document.activeElement.id === "say"), "a choice gives the focus to the field");
});

if (fake) await (await import("./evening-faults.mjs")).play({ part, fake });
if (fake) {
  await (await import("./references.mjs")).play({ part, url, bless: process.argv.includes("--bless") });
}
if (server) await (await import("./evening-program.mjs")).play({ part, program, url });

await browser.close();
await server?.stop();
fake?.stop();
for (const fault of faults) console.log(`  ${fault}`);
process.exit(faults.length ? 1 : 0);
