import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CellName, Client, Outcome } from "../client.ts";
import type { Lab } from "../lab.ts";
import { AFTER, askFor, BEFORE, type SceneName, verdict } from "../model/scenes.ts";
import { type Ended, run, type Start, shows, start } from "../process.ts";

export interface Prompt {
  text: string;
  /** True to continue the last session. */
  resume: boolean;
  /** The file with the picture to attach. */
  image?: string;
}

export type Invocation = Pick<Start, "args"> & Partial<Pick<Start, "env" | "stdin" | "terminal">>;

/** How to drive a coding agent from the command line. */
export interface AgentOptions extends Pick<Client, "name" | "title" | "packages" | "door"> {
  /** The file to run, below `node_modules`. */
  program: string;
  /** Writes the settings that point it at our server. */
  prepare?(lab: Lab, command: string): void | Promise<void>;
  invoke(prompt: Prompt, lab: Lab, command: string): Invocation | Promise<Invocation>;
  /** `tool`: the model looks at the picture with the agent's own tool, because nothing can be attached. */
  image: "attached" | "tool" | { cannot: string };
  resume?: { cannot: string };
}

/** Returns a coding agent as a client: each scene is one run of its command. */
export function defineAgent(agent: AgentOptions): Client {
  return {
    ...agent,
    kind: "agent",
    async play(installed, lab, report) {
      const command = join(installed.folder, "node_modules", agent.program);
      await agent.prepare?.(lab, command);
      const prepared = async (prompt: Prompt): Promise<Start> => ({
        command,
        cwd: lab.work,
        home: lab.home,
        ...(await agent.invoke(prompt, lab, command)),
      });
      const say = async (scene: SceneName, resume: boolean, details = "", image?: string) =>
        run(await prepared({ text: askFor(scene, details), resume, image }));
      const cell = async (name: CellName, act: () => Promise<Outcome>) => report(name, await act());

      const hello = await say("hello", false);
      await cell("shell", async () => judge("shell", await say("shell", agent.resume === undefined)));
      await cell("edit", async () => {
        const ended = judge("edit", await say("edit", false, `[path ${lab.page}]`));
        const text = readFileSync(lab.page, "utf8");
        const isRight = text === `<!doctype html>\n${AFTER}\n`;
        if (ended.state !== "passed" || isRight) return ended;
        return { state: "failed", why: `the file is ${JSON.stringify(text)}, and had ${BEFORE}` };
      });
      await cell("image", async () => {
        if (typeof agent.image === "object") return { state: "cannot", why: agent.image.cannot };
        if (agent.image === "tool") return judge("image", await say("image", false, `[path ${lab.picture}]`));
        return judge("image", await say("image", false, "", lab.picture));
      });
      await cell("fail", async () => judge("fail", await say("fail", false)));
      await cell("cancel", async () => cancel(lab, await prepared({ text: askFor("wait"), resume: false })));
      await cell("resume", async () => {
        if (agent.resume) return { state: "cannot", why: agent.resume.cannot };
        const first = judge("hello", await say("hello", false));
        return first.state === "passed" ? judge("remember", await say("remember", true)) : first;
      });
      await cell("turns", async () => judge("hello", hello));
    },
  };
}

/** Interrupts it in the middle of an answer, as Ctrl-C does. The vendor's request must end, too. */
async function cancel(lab: Lab, how: Start): Promise<Outcome> {
  const held = lab.nextHeld();
  const running = start(how);
  const began = await Promise.race([held, running.ended]);
  if (!("stopped" in began))
    return { state: "failed", why: `it ended before the answer began${shown(began)}` };
  running.interrupt();
  const [stopped, ended] = await Promise.all([began.stopped(), running.ended]);
  if (ended.tookTooLong) return { state: "failed", why: "it did not end" };
  return stopped ? { state: "passed" } : { state: "failed", why: "the vendor's request went on" };
}

function judge(scene: SceneName, ended: Ended): Outcome {
  if (shows(ended.stdout, verdict(scene)) && ended.code === 0) return { state: "passed" };
  const bad = /Scene \w+: BAD\.[^\n"]*/.exec(ended.stdout)?.[0];
  if (bad) return { state: "failed", why: bad };
  const why = ended.tookTooLong ? "it took too long" : `it ended with ${ended.code}`;
  return { state: "failed", why: `${why}${shown(ended)}` };
}

function shown({ stdout, stderr }: Ended): string {
  const text = `${stdout.slice(-300)} ${stderr.slice(-300)}`.replace(/\s+/g, " ").trim();
  return text === "" ? "" : `: ${text}`;
}
