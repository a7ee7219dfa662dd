// What is tried with the program itself: the page is loaded again at 20 moments of everything that takes time, and after each
// the story must be as if that had not been.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { linkToWatch, openMenu, openNotebook, paragraphsOf, remember, reviewPlans, send, turnOf, versionIs } from "./player.mjs";
import { planOf, scriptedFolder, startProgram } from "./program.mjs";

const MOMENTS = Number(process.env.MOMENTS ?? 20);

/** How long a page may take to come to rest; not how long it is expected to take. */
const PATIENCE_MS = 60_000;

/** A guest of the tests that asks two questions; `cargo test` builds it. */
const ASKS = process.env.ASKS ?? fileURLToPath(new URL("../../target/wasm/wasm32-wasip2/skill/asks.wasm", import.meta.url));

const NARRATE = { toolId: "narrate", toolPath: "storyteller/narrate", input: { prompt: "what comes of it" } };
const ROLL = { toolId: "roll", toolPath: "dice-roller/roll-dice", input: { formula: "2d6" } };
const GUARDED = planOf({ ...ROLL, requiresApproval: true, description: "Roll for the lock" }, { ...NARRATE, dependencies: ["roll"] });
const ASKING = planOf({ toolId: "guard", toolPath: "gate/act", input: {} }, { ...NARRATE, dependencies: ["guard"] });
const TWO_ROLLS = planOf(ROLL, { ...ROLL, toolId: "again", input: { formula: "1d20" } }, NARRATE);

/** What the server says of the story that the page shows. */
const told = (page) =>
  page.evaluate(async () => {
    const story = /#\/story\/(.+)$/.exec(location.hash)[1];
    return (await fetch(`/api/stories/${story}`)).json();
  });

/** Waits until the page shows the story as the server has it, and nothing is on its way. */
async function settled(page) {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const isSettled = await page.evaluate(async () => {
      const story = /#\/story\/(.+)$/.exec(location.hash)?.[1];
      if (!story || document.querySelector(".turn.running") || !document.getElementById("say")) return false;
      if (sessionStorage.getItem(`narratoria outbox ${decodeURIComponent(story)}`)) return false;
      const { ready, turns } = await (await fetch(`/api/stories/${story}`)).json();
      const shown = [...document.querySelectorAll(".turn")].map((turn) => turn.getAttribute("aria-label"));
      return ready && (turns === 0 || shown.at(-1) === `Turn ${turns}`);
    });
    if (isSettled) return told(page);
    await page.waitForTimeout(50);
  }
  throw new Error("the page does not come to rest");
}

/** Does something once to learn how long it takes, then at each moment with a reload in it. */
async function atEachMoment(page, act, look) {
  const begun = Date.now();
  await act(page, -1);
  await settled(page);
  const takes = Date.now() - begun;
  for (let moment = 0; moment < MOMENTS; moment += 1) {
    const before = await told(page);
    await act(page, moment);
    await page.waitForTimeout((takes * moment) / (MOMENTS - 1));
    await page.reload();
    await look(moment, before);
  }
}

/** The text of a turn as it stands in the page. */
async function textOf(page, turn) {
  const shown = turnOf(page, turn);
  return { count: await shown.count(), text: (await paragraphsOf(shown)).join("\n\n") };
}

const plain = (text) => text.replace(/[*_]/g, "").replace(/\s+/g, " ").trim();

export async function play({ part, program, url }) {
  /** Nothing is lost and nothing is there twice. */
  async function isPlayedOnce(visitor, moment, before) {
    const after = await settled(visitor.page);
    visitor.expect(after.turns === before.turns + 1, `moment ${moment}: played once, ${after.turns - before.turns} times`);
    const { count, text } = await textOf(visitor.page, after.turns);
    visitor.expect(count === 1, `moment ${moment}: the turn stands there once: ${count}`);
    const narration = after.told.at(-1).narration;
    visitor.expect(plain(text) === plain(narration), `moment ${moment}: the text is whole: ${text} for ${narration}`);
    visitor.expect(after.pending.length === 0 && !after.review, `moment ${moment}: nothing waits`);
    return after;
  }

  async function begin(page, url, { premise } = {}) {
    await page.goto(url);
    await page.waitForSelector(".campaign");
    if (premise) {
      await page.getByLabel(/One sentence/).fill(premise);
      await page.locator("form.card button[type=submit]").click();
    } else {
      await page.getByRole("button", { name: "Begin The Last Reading" }).click();
    }
    await page.waitForSelector("#say");
    return settled(page);
  }

  /** A part with a server of its own, whose plans are these. */
  async function scripted(name, plan, play) {
    // The opening of the world has a plan, too, and each moment needs one of its own.
    const home = await scriptedFolder(Array(3 * MOMENTS).fill(plan), existsSync(ASKS) ? ASKS : null);
    const own = await startProgram(program, { folder: home, args: ["--planner", "scripted:script.json", "--skills", "skills"] });
    try {
      await part(name, { size: "desktop", scheme: "light" }, (visitor, page) => play(visitor, page, own.url));
    } finally {
      await own.stop();
    }
  }

  await part("reloads in a turn", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    await atEachMoment(page, () => send(page, "look around"), (moment, before) => isPlayedOnce(visitor, moment, before));
  });

  await part("reloads in an undo and a redo", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    for (const sentence of ["look around", "wait", "look around"]) {
      await send(page, sentence);
      await settled(page);
    }
    let goesBack = true;
    const act = () => page.getByRole("button", { name: goesBack ? "Undo" : "Redo" }).click();
    await atEachMoment(page, act, async (moment, before) => {
      const after = await settled(page);
      // The first one, which was measured, has gone back as well.
      const step = goesBack ? -1 : 1;
      visitor.expect(after.turns === before.turns + step, `moment ${moment}: ${before.turns} turns become ${after.turns}`);
      goesBack = !goesBack;
    });
  });

  await part("reloads in a branch", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    await send(page, "look around");
    await settled(page);
    const act = (_, moment) => send(page, `/branch way-${moment + 1}`);
    await atEachMoment(page, act, async (moment, before) => {
      const after = await settled(page);
      visitor.expect(after.turns === before.turns, `moment ${moment}: a name is no turn`);
      const { branches } = await page.evaluate(async () => {
        const story = /#\/story\/(.+)$/.exec(location.hash)[1];
        return (await fetch(`/api/stories/${story}/documents/branches`)).json();
      });
      const named = branches.filter((branch) => branch.name === `way-${moment + 1}`).length;
      visitor.expect(named === 1, `moment ${moment}: the branch is there once: ${named}`);
    });
    await send(page, "/switch way-3");
    await page.waitForFunction(() => document.querySelector(".place-line").textContent.includes("way-3"));
  });

  await part("reloads in an export", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    await send(page, "look around");
    const { told: turns } = await settled(page);
    const last = plain(turns.at(-1).narration);
    const address = (format) => `/api/stories/${/#\/story\/(.+)$/.exec(page.url())[1]}/export?format=${format}`;
    const act = async () => {
      await openMenu(page);
      await page.getByRole("button", { name: /Take it along/ }).click();
      await page.getByRole("link", { name: /^Text/ }).click();
      await page.keyboard.press("Escape");
    };
    await atEachMoment(page, act, async (moment, before) => {
      const after = await settled(page);
      visitor.expect(after.turns === before.turns, `moment ${moment}: an export is no turn`);
      const text = await page.evaluate(async (path) => (await fetch(path)).text(), address("markdown"));
      visitor.expect(plain(text).includes(last), `moment ${moment}: the file is whole`);
    });
  });

  await scripted("reloads in an approval", GUARDED, async (visitor, page, own) => {
    await begin(page, own, { premise: "none" });
    let sent = 0;
    const act = async (_, moment) => {
      await send(page, `I pick the lock ${(sent += 1)}`);
      // The first reload comes before the question, or while it waits.
      if (moment >= 0) {
        await page.waitForTimeout(moment * 20);
        await page.reload();
      }
      await page.getByRole("button", { name: "Let it run" }).click();
    };
    await atEachMoment(page, act, (moment, before) => isPlayedOnce(visitor, moment, before));
  });

  await scripted("reloads in a reviewed and reordered plan", TWO_ROLLS, async (visitor, page, own) => {
    await begin(page, own, { premise: "none" });
    await reviewPlans(page);
    const act = async (_, moment) => {
      await send(page, "I roll twice");
      await page.waitForSelector(".review-step");
      if (moment >= 0 && moment % 2 === 0) await page.reload();
      await page.getByRole("button", { name: "Move again up" }).click();
      await versionIs(page, 2);
      // The draft as it was changed is there after a reload.
      if (moment >= 0 && moment % 2 === 1) await page.reload();
      await versionIs(page, 2);
      const first = await page.locator(".review-step").first().getAttribute("data-step");
      visitor.expect(first === "again", `moment ${moment}: the step stays where it was moved to: ${first}`);
      await page.getByRole("button", { name: "Start", exact: true }).click();
    };
    await atEachMoment(page, act, (moment, before) => isPlayedOnce(visitor, moment, before));
  });

  if (!existsSync(ASKS)) {
    console.log("– reloads in a question: left out, `cargo test -p narratoria-guests` builds what asks");
  } else {
    await scripted("reloads in a question", ASKING, async (visitor, page, own) => {
      await begin(page, own, { premise: "none" });
      const act = async (_, moment) => {
        await send(page, "I knock");
        if (moment >= 0) {
          await page.waitForTimeout(moment * 20);
          await page.reload();
        }
        await page.getByRole("button", { name: "Nobody", exact: true }).click();
        await page.getByRole("heading", { name: "And what does Nobody want?" }).waitFor();
        if (moment >= 0) await page.reload();
        await page.getByRole("heading", { name: "And what does Nobody want?" }).waitFor();
        await page.getByLabel("Your answer").fill("peace");
        await page.getByRole("button", { name: "Answer", exact: true }).click();
      };
      await atEachMoment(page, act, (moment, before) => isPlayedOnce(visitor, moment, before));
    });
  }

  await part("dice, memories and two tabs", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    const other = await visitor.context.newPage();
    await other.goto(page.url());
    await other.waitForSelector(".turn");
    await send(page, "roll 2d6+1");
    const { turns } = await settled(page);
    visitor.expect((await page.locator(".dice").count()) > 0, "dice are shown");
    await turnOf(other, turns).waitFor();
    visitor.expect((await textOf(other, turns)).text === (await textOf(page, turns)).text, "the second tab follows");
    await remember(page, "Agnes likes oranges");
    await page.reload();
    await openNotebook(page, "Memories");
    await page.getByText("Agnes likes oranges", { exact: true }).waitFor();
  });

  await part("an import", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await page.goto(url);
    await page.waitForSelector(".campaign");
    const twee = ":: Start\nYou stand at the well.\n[[Climb down->Down]]\n\n:: Down\nIt is dark.\n";
    await page.locator("input[type=file]").setInputFiles({ name: "well.twee", mimeType: "text/plain", buffer: Buffer.from(twee) });
    await page.getByRole("dialog").getByRole("button", { name: "Begin" }).click();
    await page.getByText("You stand at the well.").first().waitFor();
    await settled(page);
    await page.locator(".choice").first().click();
    await settled(page);
    await page.getByText("It is dark.").first().waitFor();
  });

  await part("a link to watch", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    const link = await linkToWatch(page);
    await page.keyboard.press("Escape");
    const reader = await (await visitor.context.browser().newContext()).newPage();
    await reader.goto(link);
    await reader.getByText("You are watching").waitFor();
    await send(page, "look around");
    const { turns } = await settled(page);
    await turnOf(reader, turns).waitFor();
    visitor.expect((await textOf(reader, turns)).text === (await textOf(page, turns)).text, "the reader sees the turn");
    await reader.context().close();
  });

  await part("a program that is killed in a turn", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    const first = await startProgram(program);
    await begin(page, first.url);
    const before = await told(page);
    await send(page, "look around");
    await page.waitForSelector(".turn.running");
    await first.kill();
    await page.getByRole("region", { name: "Notice" }).getByText("The connection was cut").waitFor();
    const second = await startProgram(program, { folder: first.folder });
    const story = new URL(page.url()).hash;
    await page.goto(second.url);
    await page.waitForSelector(".story-link");
    await page.goto(second.url.replace(/#.*/, story));
    const after = await settled(page);
    visitor.expect(after.turns - before.turns <= 1, `nothing is played twice: ${after.turns - before.turns}`);
    visitor.expect(after.told.length === after.turns, "no turn is lost");
    await second.stop();
  });
}
