// What a player does at the page in a browser. Every evening plays with these.

/** How long a turn may take; not how long it is expected to take. */
const TURN_MS_MAX = 60_000;

/** Opens the page and begins a campaign; its opening is there. */
export async function begin(page, url) {
  await page.goto(url);
  await page.getByRole("button", { name: "Begin The Last Reading" }).click();
  await page.waitForSelector(".turn");
  await turnEnds(page, 0);
}

/** How many turns the page shows. */
export const turns = (page) => page.locator(".turn").count();

/** Waits until the page shows more turns than these, and the story waits for the next sentence. */
export async function turnEnds(page, before) {
  await page.waitForFunction(
    (count) =>
      !document.querySelector(".turn.running") && document.querySelectorAll(".turn").length > count &&
      document.querySelector(".composer button[type=submit]:not([hidden])"),
    before,
    { timeout: TURN_MS_MAX },
  );
}

/** Types a line and sends it. */
export async function send(page, text) {
  await page.fill("#say", text);
  await page.press("#say", "Enter");
}

/** Sends a sentence and waits for the end of its turn. */
export async function say(page, text) {
  const before = await turns(page);
  await send(page, text);
  await turnEnds(page, before);
}

/** The paragraphs that a turn narrates, without its dice and places without a text. */
export const paragraphsOf = (turn) => turn.locator("> p:not(.dice):not(.empty)").allTextContents();

/** The newest turn. */
export const newestTurn = (page) => page.locator(".turn:last-of-type");

/** The turn of this number. */
export const turnOf = (page, number) => page.getByLabel(`Turn ${number}`, { exact: true });

/** Opens the menu of the story. */
export const openMenu = (page) => page.getByRole("button", { name: "More", exact: true }).click();

/** Opens a tab of the notebook. */
export async function openNotebook(page, tab) {
  await page.getByRole("button", { name: "Notebook" }).click();
  await page.getByRole("tab", { name: tab, exact: true }).click();
}

/** Lets each plan wait for the player before it runs. */
export async function reviewPlans(page) {
  await openMenu(page);
  await page.getByLabel("Review each plan before it runs").check();
  await page.keyboard.press("Escape");
}

/** Waits until the plan in review is of this version. */
export const versionIs = (page, number) =>
  page.waitForFunction((wanted) => document.querySelector(".review .hint")?.textContent.includes(`version ${wanted}`), number);

/** Makes a link with which somebody may watch; the dialog stays open. */
export async function linkToWatch(page) {
  await openMenu(page);
  await page.getByRole("button", { name: /Let somebody watch/ }).click();
  await page.getByRole("button", { name: "Make a link" }).click();
  return page.getByRole("textbox", { name: "Link" }).inputValue();
}

/** Has the story remember a text, in the notebook. */
export async function remember(page, text) {
  await openNotebook(page, "Memories");
  await page.getByRole("button", { name: "Remember something" }).click();
  await page.getByLabel("What the story is to remember").fill(text);
  await page.getByRole("button", { name: "Remember", exact: true }).click();
  await page.getByText(text, { exact: true }).waitFor();
}
