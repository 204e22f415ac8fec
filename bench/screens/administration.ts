import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { ask, bearer, signUp, type TestAccount } from "../../test/support/accounts.ts";
import { openPage } from "../../test/support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "../../test/support/server.ts";
import { fillDays } from "./used-days.ts";

const SIZES = {
  wide: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
};
const PEOPLE = ["ada", "grace", "alan", "edsger", "barbara"];

/** Takes pictures of usage and administration, with a month of data from a few people. */
export async function administrationPictures(browser: Browser, target: string): Promise<void> {
  const folder = temporaryFolder();
  const server = await startServer(folder.path, { TACKLE_AUTH: "guest" });
  try {
    const ada = await makeMonth(server, folder.path);
    for (const size of ["wide", "phone"] as const)
      for (const colorScheme of ["light", "dark"] as const) {
        const options = { ...SIZES[size], colorScheme, reducedMotion: "reduce" as const };
        const { page, context } = await openPage(browser, "about:blank", options);
        const [name = "", value = ""] = ada.cookie.split("=");
        await context.addCookies([{ name, value, url: server.url }]);
        const keep = async (picture: string) => {
          const file = `${picture}-${size}-${colorScheme}.png`;
          await page.screenshot({ path: join(target, file) });
          console.log(`docs/screens/${file}`);
        };
        await page.goto(`${server.url}/#/administration`);
        await page.getByRole("table", { name: "By model" }).waitFor();
        await keep("administration");
        await showUsage(page, server.url);
        await keep("usage");
        await context.close();
      }
  } finally {
    await server.stop();
    folder.remove();
  }
}

async function makeMonth(server: ServerProcess, dataDir: string): Promise<TestAccount> {
  const people: TestAccount[] = [];
  for (const name of PEOPLE) people.push(await signUp(server, name));
  const [ada, grace, , edsger] = people;
  if (!ada || !grace || !edsger) throw new Error("an account is missing");
  await fillDays(
    dataDir,
    people.map(({ id }) => id),
  );
  const headers = bearer(ada.token);
  await ask(server, "PUT", `/admin/users/${grace.id}/limits`, headers, {
    limits: { chat: 500, costUsd: 20 },
  });
  await ask(server, "POST", `/admin/users/${edsger.id}/suspend`, headers, { suspended: true });
  return ada;
}

async function showUsage(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/#/`);
  const settings = page.getByRole("button", { name: "Settings" });
  await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
  if (!(await settings.isVisible()))
    await page
      .getByRole("button", { name: /conversations$/ })
      .first()
      .click();
  await settings.click();
  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByRole("table", { name: "By tool" }).waitFor();
}
