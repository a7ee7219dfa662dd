// What can only be tried with the server for development: cuts, restarts, reviews, questions and very long stories.
import { begin, linkToWatch, newestTurn, paragraphsOf, remember, reviewPlans, say, send, turnEnds, turnOf, turns, versionIs } from "./player.mjs";

export async function play({ part, fake }) {
  const url = fake.url;
  const tell = (what) => fetch(`${url}fake/${what}`, { method: "POST" });

  await part("premises and imports", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await page.goto(url);
    await page.getByLabel(/One sentence/).fill("a tram that is late");
    await page.reload();
    visitor.expect((await page.getByLabel(/One sentence/).inputValue()) === "a tram that is late", "a premise survives a reload");
    await page.locator("input[type=file]").setInputFiles({ name: "mina.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await page.getByRole("dialog").getByText("the picture was kept").waitFor();
    await visitor.screenshot("import-desktop-light");
    await visitor.check("import");
    await page.getByRole("button", { name: "Later" }).click();
    await page.locator("form.card button[type=submit]").click();
    await page.waitForSelector(".turn");
    await turnEnds(page, 0);
    await page.getByRole("link", { name: "All stories" }).click();
    await page.waitForSelector(".story-link.latest");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Dark").check();
    visitor.expect(
      (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === "rgb(25, 27, 29)",
      "the dark theme is chosen over the system's",
    );
  });

  await part("a review", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    await reviewPlans(page);
    await send(page, "look around");
    await page.waitForSelector(".review-step");
    await visitor.screenshot("review-desktop-light");
    await visitor.check("review");
    await page.getByRole("button", { name: "Move narrate up" }).click();
    await versionIs(page, 2);
    visitor.expect(
      await page.evaluate(() => document.activeElement?.dataset.key === "up narrate"),
      "the focus stays on the button that moved the step",
    );
    await page.getByRole("button", { name: "Remove narrate" }).click();
    await page.waitForFunction(() => document.querySelector(".review .error").textContent.includes("Refused"));
    await page.locator(".review-step[data-step=roll] input").uncheck();
    await page.waitForSelector(".review-step[data-step=roll].left-out");
    const [from, to] = [page.locator(".review-step").nth(1), page.locator(".review-step").nth(0)];
    await page.locator(".review").evaluate((element) => {
      element.scrollTop = 0;
    });
    const moved = await from.getAttribute("data-step");
    await from.locator(".grip").dragTo(to);
    await page.waitForFunction((id) => document.querySelector(".review-step").dataset.step === id, moved);
    const before = await turns(page);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await turnEnds(page, before - 1);
  });

  await part("questions and approvals", { size: "phone", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    await send(page, "I ask a question");
    await page.waitForSelector(".request");
    await visitor.screenshot("question-phone-light");
    await visitor.check("question");
    const before = await turns(page);
    await send(page, "2");
    await turnEnds(page, before - 1);
    await send(page, "I need an approval");
    await page.waitForSelector(".request");
    await visitor.screenshot("approval-phone-light");
    await visitor.check("approval");
    await page.getByRole("button", { name: "Let it run" }).click();
    await page.waitForFunction(() => !document.querySelector(".turn.running"));
  });

  await part("dice", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await page.goto(`${url}#/story/night`);
    await page.waitForSelector(".turn");
    await page.waitForSelector(".recap");
    await visitor.screenshot("recap-desktop-light");
    await visitor.check("recap");
    await say(page, "roll 2d6+1");
    await say(page, "roll d20 with advantage");
    await page.waitForSelector(".dice");
    await visitor.screenshot("dice-desktop-light");
    await visitor.check("dice");
  });

  await part("a cut in the middle of a turn", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    for (const what of ["cut", "restart"]) {
      const before = await turns(page);
      await send(page, "look around");
      await page.waitForSelector(".turn.running");
      await tell(what);
      await page.waitForTimeout(800);
      await turnEnds(page, before);
      const shown = await paragraphsOf(newestTurn(page));
      const story = [...fake.stories.values()].at(-1);
      visitor.expect(shown.join("\n\n") === story.node.narration, `the text is whole after ${what}: ${shown}`);
      visitor.expect(story.turns === before + 1, `the sentence was played once: ${story.turns}`);
    }
    await tell("page");
    await page.getByText("another version").waitFor();
    await tell("forget");
    await page.getByRole("heading", { name: "Open the printed address" }).waitFor();
    await visitor.screenshot("no-session-desktop-light");
    await visitor.check("no session");
    await page.goto("about:blank");
    await page.goto(`${url}#t=0123`);
    await page.waitForSelector(".campaign");
    visitor.expect(!page.url().includes("t="), "the token leaves the address");
  });

  await part("a reload at each of 20 moments of a turn", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    const story = [...fake.stories.values()].at(-1);
    for (let moment = 0; moment < 20; moment += 1) {
      const before = story.turns;
      await send(page, `sentence ${moment}`);
      await page.waitForTimeout(moment * 12);
      await page.reload();
      await turnOf(page, before + 1).waitFor();
      await page.waitForFunction(() => !document.querySelector(".turn.running"));
      visitor.expect(story.turns === before + 1, `moment ${moment}: played once, ${story.turns - before} times`);
      const shown = await paragraphsOf(turnOf(page, before + 1));
      visitor.expect(shown.join("\n\n") === story.node.narration, `moment ${moment}: the text is whole: ${shown}`);
    }
  });

  await part("a story of 10,000 turns", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    const begun = Date.now();
    await page.goto(`${url}#/story/long-evening`);
    await page.waitForSelector(".turn");
    const opened = Date.now() - begun;
    visitor.expect(opened < 2000, `it opens in time: ${opened} ms`);
    const scroller = page.locator(".scroller");
    for (let at = 0; at < 25; at += 1) {
      await scroller.evaluate((element) => {
        element.scrollTop = 0;
      });
      await page.waitForTimeout(120);
    }
    const nodes = await page.evaluate(() => {
      const walker = document.createTreeWalker(document.querySelector(".transcript"), NodeFilter.SHOW_ALL);
      let count = 0;
      while (walker.nextNode()) count += 1;
      return count;
    });
    visitor.expect(nodes <= 2000, `at most 2,000 nodes: ${nodes}`);
    const first = await page.locator(".turn").first().getAttribute("aria-label");
    visitor.expect(Number(first.replace("Turn ", "")) < 9800, `older turns came: ${first}`);
    await page.getByRole("button", { name: "To the newest" }).click();
    await turnOf(page, 10_000).waitFor();
    await say(page, "look around").catch(() => {});
    await turnOf(page, 10_001).waitFor();
  });

  await part("memories", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    await remember(page, "Agnes likes oranges");
    await page.getByRole("button", { name: "Pin: Agnes likes oranges" }).click();
    await page.getByRole("button", { name: "Unpin: Agnes likes oranges" }).waitFor();
    visitor.expect(
      await page.evaluate(() => document.activeElement.getAttribute("aria-label") === "Unpin: Agnes likes oranges"),
      "the focus stays in the panel",
    );
    await page.getByText("Changed: /memory pin M0").waitFor();
    await visitor.screenshot("memories-desktop-light");
    await visitor.check("memories");
    await page.getByRole("button", { name: "Edit: Agnes likes oranges" }).click();
    await page.getByRole("dialog").locator("textarea").fill("Agnes likes apples");
    await page.getByRole("button", { name: "Keep" }).click();
    await page.getByRole("button", { name: "Forget: Agnes likes apples" }).click();
    await page.getByRole("button", { name: "Forget", exact: true }).click();
    await page.getByText("Nothing is remembered yet.").waitFor();
  });

  await part("a password, and somebody who watches", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    const link = await linkToWatch(page);
    await visitor.screenshot("watchers-desktop-light");
    await visitor.check("links");
    await tell("password");
    await page.goto(url);
    await page.reload();
    await page.getByLabel("Password").fill("eight lanterns");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("the password is wrong").waitFor();
    await visitor.check("password");
    await page.getByLabel("Password").fill("nine lanterns");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Password").waitFor();
    await page.goto(link);
    await page.waitForSelector(".turn");
    visitor.expect(!page.url().includes("#r="), "the key of a link leaves the address");
    await page.getByText("You are watching").waitFor();
    for (const name of ["Say", "Undo", "Notebook", "More"]) {
      visitor.expect(!(await page.getByRole("button", { name, exact: true }).isVisible()), `a reader has no button ${name}`);
    }
    await visitor.screenshot("watching-desktop-light");
    await visitor.check("watching");
    await page.getByRole("link", { name: "All stories" }).click();
    await page.getByRole("heading", { name: "Stories that you may watch" }).waitFor();
    visitor.expect(!(await page.getByRole("button", { name: /^Begin/ }).count()), "a reader begins no story");
    await tell("player");
  });

  await part("two tabs", { size: "desktop", scheme: "light" }, async (visitor, page) => {
    await begin(page, url);
    const other = await visitor.context.newPage();
    await other.goto(page.url());
    await other.waitForSelector(".turn");
    await say(page, "look around");
    await other.waitForFunction(() => document.querySelectorAll(".turn:not(.running)").length === 2);
    visitor.expect(
      (await newestTurn(other).locator("> p").first().textContent()) === (await newestTurn(page).locator("> p").first().textContent()),
      "the second tab follows",
    );
  });
}
