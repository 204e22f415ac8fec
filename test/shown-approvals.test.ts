import { mkdirSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { hasPseudoTerminal, openTerminal } from "../src/terminal/testing/pseudo-terminal.ts";
import { allow, openEditor } from "./support/acp.ts";
import { CARD_ATTACKS, type CardAttack } from "./support/card-attacks.ts";
import { isLong } from "./support/long.ts";
import { modelAt, command as program, temporaryFolder } from "./support/server.ts";

/** A model that makes the call, and folders for it. */
async function prepare({ call }: CardAttack) {
  const upstream = await startUpstream();
  const folder = temporaryFolder();
  onTestFinished(async () => {
    await upstream.close();
    folder.remove();
  });
  upstream.play(chatTurn({ calls: [call] }), chatTurn({ text: "Not done." }));
  const [data, work] = [`${folder.path}/data`, `${folder.path}/work`];
  for (const path of [data, work]) mkdirSync(path);
  return { data, work, env: { ...modelAt(upstream.url), TACKLE_ROOTS: work } };
}

/** The web app is shown all of them in `npm test`; here each is shown at one of the two places. */
const inTerminal = CARD_ATTACKS.filter((_, at) => isLong || at % 2 === 0);
const inEditor = CARD_ATTACKS.filter((_, at) => isLong || at % 2 === 1);

const squeezed = (text: string) => text.replace(/\s+/g, "");

it.skipIf(!hasPseudoTerminal()).each(inTerminal)(
  "the terminal's card shows what $name hide",
  {
    timeout: 120_000,
  },
  async (attack) => {
    const { data, env } = await prepare(attack);
    const terminal = openTerminal(["--data", data], env, program);
    onTestFinished(() => terminal.close());
    await terminal.shows("›");
    terminal.press("go on\r");
    const card = await terminal.shows("Allow it?");
    // Lines may be wrapped.
    for (const text of attack.shows) expect(squeezed(card)).toContain(squeezed(text));
    expect(terminal.raw()).not.toMatch(/[\u202e\u2066\u200b]/);
  },
);

it.each(inEditor)("an editor is shown what $name hide", async (attack) => {
  const { data, work, env } = await prepare(attack);
  const editor = await openEditor({ dataDir: data, cwd: work, env, permit: () => allow("reject_once") });
  onTestFinished(() => editor.kill());
  await editor.prompt(await editor.newSession(), "go on");
  const content = editor.permissions[0]?.toolCall.content ?? [];
  const shown = content.map((one) => {
    if (one.type === "diff") return one.newText;
    return one.type === "content" && one.content.type === "text" ? one.content.text : "";
  });
  for (const text of attack.shows) expect(shown.join("\n")).toContain(text);
});
