import { isObject } from "../../src/protocol/json.ts";
import type { ScriptedAnswer } from "../../src/sim/turns.ts";
import type { ModelRequest, ReadMessage } from "./request.ts";
import { callFor, type Wish } from "./tools.ts";

// Scenes are what the clients play: the person's message names one, and the model acts from what the client offers and from the
// results that come back. Its last answer says whether everything arrived as it should.

export const BEFORE = "<h1>Hi & bye</h1>";
export const AFTER = '<h1>Hi & "welcome" <br/> back</h1>';
/** A red square of 16 × 16 pixels. */
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mO4oKBAEmIY1TCqYfhqAABLfxAQegypMgAAAABJRU5ErkJggg==";
export const HELLO = "I am the scripted model.";

/** Returns the message that asks for a scene. */
export function askFor(scene: SceneName, details = ""): string {
  return `[scene ${scene}] ${TEXTS[scene]} ${details}`.trim();
}

/** Returns how the model's last answer to a scene begins. */
export function verdict(scene: SceneName, isGood = true): string {
  return `Scene ${scene}: ${isGood ? "good" : "BAD"}.`;
}

const TEXTS = {
  hello: "Say who you are.",
  shell: "Run a command and tell me what it prints.",
  edit: "Change the heading of the page.",
  image: "What is in the picture?",
  fail: "Run a command that fails.",
  wait: "Take your time.",
  remember: "What was my first message?",
  error: "Let the vendor fail.",
  question: "Ask me which city I like.",
  fields: "Who is it? Answer with the name and the age.",
};
export type SceneName = keyof typeof TEXTS;
export const SCENE_NAMES = Object.keys(TEXTS) as SceneName[];

interface Play {
  request: ModelRequest;
  /** The message that asked for the scene. */
  asked: ReadMessage;
  /** What the tools returned since. */
  results: ReadMessage[];
  /** All messages since, with images that follow results. */
  since: ReadMessage[];
}

type Answer = ScriptedAnswer | "hold" | "error";

/** Decides what the model answers. Requests without a scene are small jobs, such as titles. */
export function answerTo(request: ModelRequest): Answer {
  const at = request.messages.findLastIndex((message) => message.role === "user" && sceneIn(message));
  const asked = request.messages[at];
  const scene = asked && sceneIn(asked);
  if (!asked || !scene) return { text: request.json ? "{}" : "A title" };
  const since = request.messages.slice(at + 1);
  const results = since.filter(({ role }) => role === "tool");
  return SCENES[scene]({ request, asked, results, since });
}

function sceneIn({ text }: ReadMessage): SceneName | undefined {
  const name = [...text.matchAll(/\[scene (\w+)\]/g)].at(-1)?.[1];
  return name !== undefined && name in SCENES ? (name as SceneName) : undefined;
}

const SCENES: Record<SceneName, (play: Play) => Answer> = {
  hello: () => ({ text: `${verdict("hello")} ${HELLO}` }),
  shell: (play) =>
    steps(play, "shell", [{ do: "run", command: "echo tackle-$((40+2))" }], (_, last) =>
      /tackle-42/.test(last) ? undefined : "the output of the command is missing",
    ),
  edit: (play) => {
    const path = pathIn(play.asked);
    const wishes: Wish[] = [
      { do: "read", path },
      { do: "replace", path, before: BEFORE, after: AFTER },
      { do: "run", command: `cat '${path}'` },
    ];
    return steps(play, "edit", wishes, ([first = ""], last) => {
      if (!first.includes(BEFORE)) return "the file was not read byte for byte";
      // Some clients put the output into JSON of their own, or drop its quotes. The file itself is compared byte by byte.
      const isThere = withoutQuotes(last).includes(withoutQuotes(AFTER));
      return isThere ? undefined : "the file was not changed as asked";
    });
  },
  image: ({ asked, since, request }) => {
    const path = pathIn(asked);
    const images = [...since, ...request.messages].flatMap((message) => message.images);
    if (images.length > 0)
      return { text: ending("image", isPicture(images) ? undefined : "it is another picture") };
    const call =
      path && since.every(({ role }) => role !== "tool") && callFor({ do: "read", path }, request.tools);
    return call ? { calls: [call] } : { text: ending("image", "there is no picture") };
  },
  fail: (play) =>
    steps(
      play,
      "fail",
      [{ do: "run", command: "echo about-to-fail; cat /no/such/file; exit 3" }],
      (_, last) =>
        /no such file|an error occurred|exit(ed| code| status)?[^\n]{0,20}3/i.test(last)
          ? undefined
          : "the failure was not told",
    ),
  wait: () => "hold",
  remember: ({ request }) => {
    const before = request.messages.filter(
      ({ role, text }) => role === "user" && text.includes("[scene hello]"),
    );
    const said = request.messages.filter(({ role, text }) => role === "assistant" && text.includes(HELLO));
    const missing =
      before.length === 0 ? "the first message" : said.length === 0 ? "the first answer" : undefined;
    return { text: ending("remember", missing && `${missing} is missing`) };
  },
  error: () => "error",
  question: ({ request, results }) => {
    const [answer] = results;
    if (answer)
      return { text: ending("question", answer.text.includes("Oslo") ? undefined : "the answer is missing") };
    const [name] = request.tools.flatMap((tool) => (tool.name === "ask_user" ? [tool.name] : []));
    return name
      ? { calls: [{ name, arguments: { question: "Which city do you like?" } }] }
      : { text: "A title" };
  },
  fields: ({ request }) => fieldsFor(request),
};

/** Makes one call after the other, then judges the results. The last call is repeated: some agents lose what a quick command prints. */
function steps(
  { request, results }: Play,
  scene: SceneName,
  wishes: Wish[],
  findProblem: (results: string[], last: string) => string | undefined,
): ScriptedAnswer {
  const texts = results.map(({ text }) => text);
  const problem = wishes[texts.length] ? undefined : findProblem(texts, texts.at(-1) ?? "");
  const again = problem !== undefined && texts.length < wishes.length + REPEATS ? wishes.at(-1) : undefined;
  const wish = wishes[texts.length] ?? again;
  if (!wish) return { text: ending(scene, problem) };
  const call = callFor(wish, request.tools);
  // Small jobs beside the conversation repeat the person's words and offer no tools.
  return call ? { text: "One moment.", calls: [call] } : { text: "A title" };
}

const REPEATS = 2;

function ending(scene: SceneName, problem: string | undefined): string {
  return problem === undefined ? verdict(scene) : `${verdict(scene, false)} ${problem}.`;
}

function withoutQuotes(text: string): string {
  return text.replace(/["\\]/g, "");
}

function pathIn({ text }: ReadMessage): string {
  return /\[path ([^\]]+)\]/.exec(text)?.[1] ?? "";
}

/** A client may encode the picture again, but it stays a picture. */
function isPicture(images: string[]): boolean {
  return images.some((image) => image === PICTURE || /^(iVBOR|\/9j\/|UklGR)/.test(image));
}

/** Answers by the schema, or calls the tool that takes the fields. */
function fieldsFor({ schema, json, tools }: ModelRequest): ScriptedAnswer {
  const [tool] = tools;
  if (!schema && !json && tool) return { calls: [{ name: tool.name, arguments: example(tool.parameters) }] };
  return { text: JSON.stringify(schema ? example(schema) : { name: "Ada", age: 36 }) };
}

function example(schema: unknown): unknown {
  const { type, properties, items } = isObject(schema) ? schema : {};
  if (isObject(properties))
    return Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, example(one)]));
  if (type === "number" || type === "integer") return 36;
  if (type === "boolean") return true;
  return type === "array" ? [example(items)] : "Ada";
}
