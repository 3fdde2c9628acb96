// Takes the pictures of the exported page, with a real browser.
//
//   npm install --prefix target/pictures playwright-core
//   node docs/images/take.mjs target/debug/claw /usr/bin/chromium
//
// The page is made from testdata/sessions/demo. Look at the pictures before you keep them.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [claw = "target/debug/claw", browser = "/usr/bin/chromium"] = process.argv.slice(2);
const root = resolve(import.meta.dirname, "../..");
const modules = process.env.PLAYWRIGHT_AT ?? join(root, "target/pictures/");
const { chromium } = createRequire(join(resolve(modules), "x.js"))("playwright-core");

const page = join(tmpdir(), `claw-pictures-${process.pid}.html`);
const config = join(root, "testdata/sessions/demo");
execFileSync(resolve(claw), ["sessions", "export", "3f1d", "--config-dir", config, "--with-hidden", "--output", page]);

const chrome = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
const take = async (name, options, act) => {
  const context = await chrome.newContext({ reducedMotion: "reduce", ...options });
  const tab = await context.newPage();
  // A page that loads, logs or asks anything is not the one that we promise.
  for (const event of ["console", "pageerror", "dialog", "request"]) {
    tab.on(event, (what) => {
      if (event === "request" && /^(file|data):/.test(what.url())) return;
      throw new Error(`the page did something: ${event}`);
    });
  }
  await tab.goto(pathToFileURL(page).href);
  await act?.(tab);
  await tab.screenshot({ path: join(import.meta.dirname, `export-${name}.png`) });
  await context.close();
};
const desk = { width: 1260, height: 860 };
await take("light", { colorScheme: "light", viewport: desk });
await take("dark", { colorScheme: "dark", viewport: desk }, async (tab) => {
  await tab.evaluate(() => [...document.querySelectorAll("main > .m.u")][1].scrollIntoView());
  await tab.waitForTimeout(300);
});
await take("phone", { colorScheme: "light", viewport: { width: 390, height: 780 }, deviceScaleFactor: 1.5 }, async (tab) => {
  await tab.evaluate(() => document.querySelector(".branch").scrollIntoView());
  await tab.waitForTimeout(300);
});
await chrome.close();
