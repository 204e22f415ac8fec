import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parseObject } from "../../src/protocol/json.ts";
import type { CellName, Client, Outcome } from "../client.ts";
import { CELLS } from "../client.ts";
import type { Lab } from "../lab.ts";
import { AFTER, askFor, PICTURE, SCENE_NAMES, type SceneName, verdict } from "../model/scenes.ts";
import { type Ended, run } from "../process.ts";

export interface SdkOptions extends Pick<Client, "name" | "title" | "packages" | "door"> {
  /** The program in this folder; by default it has the client's name. */
  program?: string;
  env?: Record<string, string>;
  model?: string;
}

const PROGRAM_MS = 400_000;

/** Returns a library as a client: a small program of this folder uses it as its documentation shows. */
export function defineSdk(sdk: SdkOptions): Client {
  return {
    ...sdk,
    kind: "SDK",
    async play(installed, lab, report) {
      const folder = join(lab.home, "program");
      cpSync(import.meta.dirname, folder, { recursive: true });
      symlinkSync(join(installed.folder, "node_modules"), join(folder, "node_modules"));
      const start = (resuming: boolean) => {
        const given = { given: givenTo(lab, sdk.model ?? "stub-1"), resuming };
        return run({
          command: process.execPath,
          args: [`${sdk.program ?? sdk.name}.mjs`],
          cwd: folder,
          home: lab.home,
          env: { TACKLE_CLIENTS_GIVEN: JSON.stringify(given), ...sdk.env },
          timeoutMs: PROGRAM_MS,
        });
      };
      const held = lab.nextHeld();
      const first = await start(false);
      const outcomes = outcomesIn(first);
      if (outcomes.cancel?.state === "passed" && !(await (await held).stopped()))
        outcomes.cancel = { state: "failed", why: "the vendor's request went on" };
      const page = readFileSync(lab.page, "utf8");
      if (outcomes.edit?.state === "passed" && !page.includes(AFTER))
        outcomes.edit = { state: "failed", why: `the file is ${JSON.stringify(page)}` };
      Object.assign(outcomes, outcomesIn(await start(true)));
      for (const cell of Object.keys(CELLS) as CellName[])
        report(cell, outcomes[cell] ?? { state: "failed", why: `it was not reached${shown(first)}` });
    },
  };
}

function givenTo({ url, page, picture }: Lab, model: string): object {
  const about = (scene: SceneName) => (scene === "edit" ? `[path ${page}]` : "");
  const questions = SCENE_NAMES.map((scene) => [scene, askFor(scene, about(scene))]);
  const verdicts = SCENE_NAMES.map((scene) => [scene, verdict(scene)]);
  const scenes = { questions: Object.fromEntries(questions), verdicts: Object.fromEntries(verdicts) };
  return { url, model, page, picture, pictureData: PICTURE, ...scenes };
}

function outcomesIn({ stdout }: Ended): Partial<Record<CellName, Outcome>> {
  const reports = [...stdout.matchAll(/^@@ (.*)$/gm)].map(([, line = ""]) => parseObject(line) ?? {});
  return Object.fromEntries(
    reports.map(({ cell, state, why }) => {
      const reason = String(why).replace(/\s+/g, " ");
      return [cell, state === "passed" ? { state } : { state, why: reason }];
    }),
  );
}

function shown({ stderr, tookTooLong }: Ended): string {
  return `${tookTooLong ? ", it took too long" : ""}: ${stderr.replace(/\s+/g, " ").slice(-400)}`;
}
