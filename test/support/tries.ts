import type { BrowserContext, Response } from "playwright-core";
import { onTestFailed, TestRunner } from "vitest";

/** Undoes something if the test that is running fails, so that another try finds everything as this one did. */
export function undoIfFailed(undo: () => unknown): void {
  if (TestRunner.getCurrentTest()) onTestFailed(async () => void (await undo()));
}

interface Sessions {
  sessions: { id: string; createdAt: string }[];
}

/** Closes the pages of a failed test, and deletes the conversations that it began or imported. */
export function closeIfFailed(context: BrowserContext, url: string): void {
  const begunAt = TestRunner.getCurrentTest()?.result?.startTime ?? Date.now();
  const imports: Response[] = [];
  let isClosed = false;
  context.on("close", () => {
    isClosed = true;
  });
  context.on("response", (response) => {
    if (response.url().endsWith("/sessions/import")) imports.push(response);
  });
  undoIfFailed(async () => {
    if (isClosed) return;
    try {
      if (url.startsWith("http")) await deleteSessions(context, new URL(url).origin, begunAt, imports);
    } catch (error) {
      console.warn(`what a failed try has left stays there: ${error}`);
    }
    await context.close();
  });
}

async function deleteSessions(
  { request }: BrowserContext,
  origin: string,
  begunAt: number,
  imports: Response[],
): Promise<void> {
  const ids: string[] = [];
  for (const which of ["", "?archived=true"]) {
    const answer = await request.get(`${origin}/sessions${which}`);
    if (!answer.ok()) continue;
    const { sessions } = (await answer.json()) as Sessions;
    ids.push(...sessions.filter((one) => Date.parse(one.createdAt) >= begunAt).map(({ id }) => id));
  }
  for (const answer of imports)
    if (answer.ok()) ids.push(...((await answer.json()) as Sessions).sessions.map(({ id }) => id));
  for (const id of ids) await request.delete(`${origin}/sessions/${id}`);
}
