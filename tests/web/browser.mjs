// Starts a browser and looks at pages: faults that axe finds, messages of the console, screenshots.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The program that is started: `CHROMIUM`, otherwise Debian's. */
const PROGRAM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export const SIZES = {
  phone: { width: 360, height: 740 },
  narrow: { width: 320, height: 640 },
  desktop: { width: 1280, height: 800 },
  wide: { width: 2560, height: 1300 },
};

export async function startBrowser() {
  return chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox", "--disable-gpu"] });
}

export class Visitor {
  faults = [];

  static async open(browser, { size = "desktop", scheme = "light", folder, ...more } = {}) {
    const visitor = new Visitor();
    visitor.folder = folder;
    visitor.context = await browser.newContext({ viewport: SIZES[size], colorScheme: scheme, ...more });
    visitor.page = await visitor.context.newPage();
    visitor.page.on("pageerror", (error) => visitor.faults.push(`page error: ${error.stack}`));
    visitor.page.on("console", (message) => {
      if (message.type() === "error" && !/Failed to load resource|ERR_/.test(message.text())) {
        visitor.faults.push(`console: ${message.text()}`);
      }
    });
    // The policy of the page forbids scripts that are not its own, so axe comes in by the tools of the browser.
    return visitor;
  }

  async screenshot(name) {
    if (!this.folder) return;
    mkdirSync(this.folder, { recursive: true });
    await this.page.screenshot({ path: `${this.folder}/${name}.png` });
  }

  /** Adds what axe finds to the faults. */
  async check(name) {
    const { readFileSync } = await import("node:fs");
    await this.page.evaluate(readFileSync(AXE, "utf8"));
    const { violations } = await this.page.evaluate(() =>
      globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }),
    );
    for (const { id, nodes } of violations) {
      for (const { target, failureSummary } of nodes.slice(0, 3)) {
        this.faults.push(`axe, ${name}: ${id} at ${target.join(" ")}: ${failureSummary.replace(/\s+/g, " ")}`);
      }
    }
    const overflow = await this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (overflow > 0) this.faults.push(`${name}: the page is ${overflow} px wider than the window`);
  }

  expect(isSo, what) {
    if (!isSo) this.faults.push(`not so: ${what}`);
  }

  close() {
    return this.context.close();
  }
}
