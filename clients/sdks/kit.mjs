// What every program of this folder shares: what to say, tools in plain JavaScript, and how to report. A program runs beside a
// node_modules folder with the newest versions, in two processes: the second one has only to resume.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";

const { given, resuming } = JSON.parse(process.env.TACKLE_CLIENTS_GIVEN);
/** `url` of our server, `model`, the paths `page` and `picture`, and `pictureData` as base64. */
export const { url, model, page, picture, pictureData } = given;
export const key = "anything";

/** Returns the message that asks the scripted model for a scene. */
export function ask(scene) {
  return given.questions[scene];
}

/** Fails unless the model said that the scene went well. */
export function check(scene, text) {
  if (!String(text).includes(given.verdicts[scene])) throw new Error(`the answer is: ${text}`);
}

/** Fails unless both values are the same as JSON. */
export function same(actual, expected) {
  const [one, other] = [actual, expected].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${one} instead of ${other}`);
}

/** Fails unless an answer came in several pieces. */
export function checkPieces(count) {
  if (count < 2) throw new Error("the text came at once");
}

/** The fields of the structured answer, and its JSON Schema. */
export const person = { name: "Ada", age: 36 };
export const personSchema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "number" } },
  required: ["name", "age"],
  additionalProperties: false,
};

const run = promisify(execFile);

/** Tools of the program itself. A command that fails throws. */
export const tools = {
  run_command: {
    description: "Runs a shell command.",
    fields: ["command"],
    run: async ({ command }) => (await run("sh", ["-c", command])).stdout,
  },
  read_file: {
    description: "Reads a file.",
    fields: ["path"],
    run: ({ path }) => readFile(path, "utf8"),
  },
  edit_file: {
    description: "Replaces a text in a file.",
    fields: ["path", "old_string", "new_string"],
    run: async ({ path, old_string: before, new_string: after }) => {
      await writeFile(
        path,
        (await readFile(path, "utf8")).replace(before, () => after),
      );
      return "Done.";
    },
  },
};

/** Returns the JSON Schema of a tool's arguments. */
export function schemaOf({ fields }) {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return { type: "object", properties, required: fields, additionalProperties: false };
}

/** Keeps something for the process that resumes. */
export function save(value) {
  writeFileSync("state.json", JSON.stringify(value));
}

/** Returns what the first process has kept. */
export function load() {
  return existsSync("state.json") ? JSON.parse(readFileSync("state.json", "utf8")) : undefined;
}

/** Returns what a cell says if the library has no such feature. */
export function cannot(why) {
  return { cannot: why };
}

const CELL_MS = 90_000;

/** Tries everything in order and reports each as a line. */
export async function tryAll({ resume, ...cells }) {
  for (const [cell, act] of Object.entries(resuming ? { resume } : cells)) report(cell, await outcome(act));
  process.exit(0);
}

async function outcome(act) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("it took too long")), CELL_MS));
  try {
    const said = await Promise.race([act(), late]);
    return said?.cannot ? { state: "cannot", why: said.cannot } : { state: "passed" };
  } catch (error) {
    const cause = error?.cause ? ` (${error.cause.code ?? error.cause})` : "";
    return { state: "failed", why: `${error?.name}: ${error?.message ?? error}${cause}`.slice(0, 400) };
  }
}

function report(cell, said) {
  process.stdout.write(`\n@@ ${JSON.stringify({ cell, ...said })}\n`);
}

/** Fails unless the act throws an error that names what the vendor said. */
export async function throws(act) {
  const error = await act().then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!error) throw new Error("no error was thrown");
  if (!/scripted vendor refuses/.test(`${error.message} ${JSON.stringify(error)}`)) throw error;
  return error;
}
