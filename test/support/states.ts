import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { chatTurn, errorTurn } from "../../src/sim/turns.ts";
import { ask, signUp } from "./accounts.ts";
import { answered, say } from "./browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./server.ts";
import { artifactIn, heldTurn, openStage, type WebStage } from "./web.ts";

/** Everything that the states need: a server with a scripted model, and one with the demo model for guests. */
export interface Scenery {
  stage: WebStage;
  demo: ServerProcess;
  /** The address of a project with instructions, a file and a conversation. */
  project: string;
  close(): Promise<void>;
}

/** A page on which the app is brought into its states, one after the other. */
export interface Scene extends Scenery {
  page: Page;
}

/** Brings the app into a state, whatever it showed before. Returns a function that ends what is still going on. */
type Enter = (scene: Scene) => Promise<(() => Promise<void>) | undefined>;

const CODE =
  '// Two per person\nexport function desks(people: number): string {\n  const each = 2;\n  return "desks: " + people * each;\n}\n';
const ANSWER = `## What a desk costs\n\nSome **bold** words, \`code\` and [a link](https://example.com).\n\n- [ ] an open task\n- [x] a done task\n\n> a quote\n\n\`\`\`ts\n${CODE}\`\`\`\n\n\`\`\`diff\n-old line\n+new line\n\`\`\`\n\n| Item | Price |\n| --- | --- |\n| Desk | €10,800 |\n\n$x^2$ and a footnote[^1].\n\n[^1]: Because of the sources.`;
const PAGE = "<h1>Hello there</h1>\n<p>No colors of its own.</p>\n";

const call = (name: string, args: object) => ({ name, arguments: args });
const time = (timeZone: string) => call("get_time", { timeZone });

/** Starts the servers and the browser, and fills them with a few conversations and a project. */
export async function openScenery(): Promise<Scenery> {
  const workspace = temporaryFolder();
  const other = temporaryFolder();
  writeFileSync(join(workspace.path, "notes.txt"), "Buy milk\nCall Ada\n");
  const stage = await openStage({ TACKLE_ROOTS: workspace.path, TACKLE_UNSAFE_COMMANDS: "1" });
  const chat = { guest: 4, account: 50 };
  const demo = await startServer(other.path, {
    TACKLE_AUTH: "guest",
    TACKLE_LIMITS: JSON.stringify({ windowMinutes: 300, chat }),
  });
  await signUp(demo, "ada");
  const { id } = await ask<{ id: string }>(stage.server, "POST", "/projects", {}, { name: "Lisbon office" });
  await ask(stage.server, "PATCH", `/projects/${id}`, {}, { instructions: "Prices in euros." });
  for (const message of ["Three days in Aarhus", "Names for a boat"]) {
    stage.play(chatTurn({ text: "With pleasure." }));
    await ask(stage.server, "POST", "/chat", {}, { message, stream: false });
  }
  stage.play(chatTurn({ text: "Twelve." }));
  const message = "How many desks fit?";
  await ask(stage.server, "POST", "/chat", {}, { message, stream: false, projectId: id });
  return {
    stage,
    demo,
    project: `#/projects/${id}`,
    async close() {
      await demo.stop();
      await stage.close();
      workspace.remove();
      other.remove();
    },
  };
}

const SETTLE_MS = 50;

/** Opens an address of the app without loading it again, with nothing above it. */
async function open({ page, stage }: Scene, hash: string): Promise<void> {
  if (!page.url().startsWith(`${stage.server.url}/#`)) await page.goto(`${stage.server.url}/#/continued`);
  // On phones, closing what fills the screen goes back in the history, which takes effect a moment later.
  for (let times = 0; times < 3; times++) {
    await page.evaluate((to) => {
      location.hash = to;
    }, hash);
    await page.waitForTimeout(SETTLE_MS);
    if ((await page.evaluate(() => location.hash)) === hash) return;
  }
}

/** Opens a new chat, and asks something there. */
async function begin(scene: Scene, text: string, ...turns: Parameters<WebStage["play"]>): Promise<void> {
  await open(scene, "#/");
  await scene.page.getByRole("heading", { name: "What are you working on?" }).waitFor();
  scene.stage.play(...turns);
  await say(scene.page, text);
}

/** Makes a page and shows it. */
async function showArtifact(scene: Scene): Promise<void> {
  const { page } = scene;
  const make = call("generate_artifact", { type: "html", code: PAGE, title: "Plain page" });
  await begin(scene, "A page", chatTurn({ calls: [make] }), chatTurn({ text: "There it is." }));
  await answered(page);
  // It opens by itself where there is room, though its code may still be loading then. A click on the card would close it.
  const card = page.locator("[data-part=artifact-card]");
  if ((await card.getAttribute("aria-pressed")) === "false") await card.click();
  await artifactIn(page).getByText("Hello there").waitFor();
}

async function hidePanel({ page }: Scene): Promise<void> {
  await page
    .locator("[data-part=panel]")
    .getByRole("button", { name: /^(Close|Back)$/ })
    .click();
}

/** Opens a section of the settings above an empty chat. */
function settings(section: string, text: string | RegExp): Enter {
  return async (scene) => {
    await open(scene, `#/settings/${section}`);
    await scene.page.getByRole("dialog").getByText(text).first().waitFor();
    return async () => {
      await open(scene, "#/");
    };
  };
}

function administration(tab: string): Enter {
  return async (scene) => {
    await open(scene, "#/administration");
    await scene.page.getByRole("tab", { name: tab }).click();
    await scene.page.getByRole("tabpanel").waitFor();
    await scene.page.waitForTimeout(300);
    return undefined;
  };
}

/** The states over which the look, the words and the accessibility of the app are checked. */
export const STATES: Record<string, Enter> = {
  "new chat": async ({ page, demo }) => {
    await page.goto(demo.url);
    await page.getByText("You’re using the demo model").waitFor({ state: "attached" });
    await page.getByText("4 questions left").waitFor();
    return undefined;
  },
  "sign in": async ({ page, demo }) => {
    await page.goto(`${demo.url}/sign-in`);
    await page.getByRole("heading", { name: "Sign in to Tackle" }).waitFor();
    return undefined;
  },
  conversation: async (scene) => {
    const calls = [time("Asia/Tokyo"), time("Europe/Paris")];
    const first = chatTurn({ reasoning: "Two cities.", calls });
    await begin(scene, "What time is it?", first, chatTurn({ text: ANSWER }));
    await answered(scene.page);
    await scene.page.locator(".katex").first().waitFor();
    await scene.page.locator("[class^=token-]").first().waitFor();
    return undefined;
  },
  "steps unfolded": async (scene) => {
    const calls = [call("execute_command", { command: "printf 'one\\ntwo\\n'" }), time("Asia/Nowhere")];
    await begin(scene, "Do both", chatTurn({ reasoning: "Hm.", calls }), chatTurn({ text: "Done." }));
    const once = scene.page.getByRole("button", { name: "Run once" });
    const step = scene.page.locator(".step-line");
    await once.or(scene.page.locator("article.answer:not([data-live]) .step-line")).first().waitFor();
    if (await once.isVisible()) await once.click();
    await answered(scene.page);
    await step.click();
    await scene.page.locator("[data-part=timeline]").waitFor();
    return undefined;
  },
  streaming: async (scene) => {
    const { page } = scene;
    const { turn, release } = heldTurn("Streaming **along**, ", "to the end.");
    await begin(scene, "Go on", turn);
    await page.getByText("along", { exact: true }).waitFor();
    await say(page, "And then the sea");
    const row = page.locator("[data-part=queue] li");
    await row.waitFor();
    return async () => {
      await row.getByRole("button", { name: "Remove" }).click();
      release();
      await answered(page);
    };
  },
  approval: async (scene) => {
    const { page } = scene;
    const change = call("filesystem", {
      operation: "write",
      path: "notes.txt",
      content: "Buy milk and bread\nCall Ada\n",
    });
    await begin(scene, "Change my notes", chatTurn({ calls: [change] }), chatTurn({ text: "Not then." }));
    await page.locator("[data-part=approval]").waitFor();
    return async () => {
      await page.getByRole("button", { name: "Don’t change" }).click();
      await answered(page);
    };
  },
  question: async (scene) => {
    const { page } = scene;
    const question = { question: "Which one?", options: ["This one", "That one"], default: "This one" };
    await begin(
      scene,
      "Ask me",
      chatTurn({ calls: [call("ask_user", question)] }),
      chatTurn({ text: "So." }),
    );
    await page.getByRole("radio", { name: "That one" }).check();
    return async () => {
      await page.getByRole("button", { name: "Answer", exact: true }).click();
      await answered(page);
    };
  },
  problem: async (scene) => {
    await begin(scene, "Fail", errorTurn(401, { message: "wrong key" }));
    await scene.page.locator("[data-part=problem]").waitFor();
    await scene.page.locator("[data-part=problem]").getByText("Details").click();
    return undefined;
  },
  artifact: async (scene) => {
    await showArtifact(scene);
    return () => hidePanel(scene);
  },
  compare: async (scene) => {
    const { page } = scene;
    await showArtifact(scene);
    await page.getByRole("tab", { name: "Code" }).click();
    await page.getByRole("textbox", { name: "Code" }).click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(PAGE.replace("Hello", "Goodbye"));
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.locator(".diff-added mark").waitFor();
    return () => hidePanel(scene);
  },
  models: async (scene) => {
    const { page } = scene;
    await open(scene, "#/");
    await page.locator("[data-part=model-picker]").click();
    await page.getByRole("option").first().waitFor();
    return () => page.keyboard.press("Escape");
  },
  tools: async (scene) => {
    const { page } = scene;
    await open(scene, "#/");
    await page.locator("[data-part=tool-picker]").click();
    await page.getByRole("switch").first().waitFor();
    return () => page.keyboard.press("Escape");
  },
  palette: async (scene) => {
    const { page } = scene;
    await open(scene, "#/");
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("aarhus");
    await page.locator("[data-part=palette] [role=option] b").first().waitFor();
    return () => page.keyboard.press("Escape");
  },
  "settings: general": settings("general", "Language"),
  "settings: keys": settings("keys", "Anthropic"),
  "settings: tools": settings("tools", "Add a server"),
  "settings: data": settings("data", "Import"),
  "settings: usage": settings("usage", "By model"),
  "settings: memory": settings("memory", "Remember things about me"),
  "settings: notifications": settings("notifications", "Notify me on this device"),
  "settings: prompts": settings("prompts", "New prompt"),
  "settings: account": async (scene) => {
    const { page, demo } = scene;
    await page.goto(`${demo.url}/#/settings/account`);
    await page.getByRole("dialog").getByText("Sign in").first().waitFor();
    return undefined;
  },
  project: async (scene) => {
    await open(scene, scene.project);
    await scene.page.getByText("Prices in euros.").waitFor();
    return undefined;
  },
  "administration: overview": administration("Overview"),
  "administration: people": administration("People"),
  "administration: limits": administration("Limits"),
  "administration: health": administration("Health"),
  "administration: audit log": administration("Audit log"),
};

/** The twelve states that differ most. */
export const MAIN_STATES: readonly string[] = [
  "new chat",
  "sign in",
  "conversation",
  "streaming",
  "approval",
  "question",
  "problem",
  "compare",
  "models",
  "palette",
  "settings: keys",
  "project",
];

/** Brings the page into each of these states and calls `visit` there. */
export async function walk(
  scene: Scene,
  names: readonly string[],
  visit: (name: string) => Promise<void>,
): Promise<void> {
  for (const name of names) {
    const leave = await STATES[name]?.(scene);
    await visit(name);
    await leave?.();
  }
}
