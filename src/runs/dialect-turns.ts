import { tokensOfMessage, tokensOfOverhead } from "../loop/estimate.ts";
import type { ModelCatalogue } from "../protocol/catalogue.ts";
import type { ModelListing } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import { fileIdIn, type UserFiles } from "../protocol/files.ts";
import { type ImagePart, type Message, type Part, type TextPart, textOf } from "../protocol/messages.ts";
import type { PersonalModels } from "../protocol/model-offers.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Registry } from "../protocol/registry.ts";
import { readEvents } from "../protocol/run-events.ts";
import { parseRunRequest } from "../protocol/run-request.ts";
import type { RecalledTurn, TurnRequest, Turns } from "../protocol/turns.ts";
import { attachmentParts } from "./attachments.ts";
import { createConversations } from "./conversations.ts";
import { type EmbedParts, embedFor } from "./embed.ts";
import { type ErasureParts, eraseSession } from "./erase-session.ts";
import { historyBefore } from "./history.ts";
import { withBytes, withoutBytes } from "./native-requests.ts";
import { findOwnRun, findSession } from "./ownership.ts";
import { TOOL_RULES } from "./system-prompt.ts";

export interface TurnsParts extends ErasureParts, EmbedParts {
  registry: Registry;
  models: ModelCatalogue;
  userFiles(principal: Principal, sessionId?: string): UserFiles;
  /** Throws INVALID_INPUT if the URL of an image leads into our own network. */
  checkImageAddresses(messages: readonly Message[], principal: Principal): void;
  modelsFor(principal: Principal): Promise<PersonalModels>;
  vault: {
    seal(text: string, owner: { userId: string; name: string }): string;
    open(sealed: string, owner: { userId: string; name: string }): string | undefined;
  };
}

/** Enough messages to include the newest answer, even if results of client tools follow it. */
const NEWEST = 6;
const TAG = ":latest";

/** The turns of one person in this process. Turns of others are not visible. */
export function createTurns(parts: TurnsParts, principal: Principal): Turns {
  const { store, runner, registry, models, files, modelsFor, vault } = parts;
  const place = { userId: principal.id, name: "what a client keeps" };

  async function recall(runId: string): Promise<RecalledTurn | undefined> {
    const run = await findOwnRun(store, principal, runId);
    if (!run || (await isForgotten(runId))) return undefined;
    const { id, sessionId, status, createdAt } = run;
    const { request, model } = parseRunRequest(run);
    const answer = await store.getMessage(run.messageId);
    return { runId: id, sessionId, status, model, createdAt, request, answer };
  }

  const forgottenKey = (runId: string) => `forgotten:${runId}`;

  async function isForgotten(runId: string): Promise<boolean> {
    return (await store.getSettings(principal.id))[forgottenKey(runId)] === true;
  }

  /** Other programs often name models without the vendor. */
  async function modelFor(given: string | undefined): Promise<string | undefined> {
    if (given === undefined) return undefined;
    const offered = await modelsFor(principal);
    const wanted = given.endsWith(TAG) ? withoutTag(given, await offered.list()) : given;
    try {
      await offered.resolve(wanted);
      // A model that was shut down keeps its name here: the run replaces it, and says so.
      return wanted;
    } catch (unknown) {
      if (unknown instanceof Failure && unknown.code === "FORBIDDEN") throw unknown;
      const id = await offered.named(wanted);
      if (id === undefined) throw unknown;
      return id;
    }
  }

  /** Stores the bytes of images as files instead of in messages. Those of a client's history are kept temporarily. */
  async function keepImages(newest: Message, { history, sessionId }: TurnRequest): Promise<Message> {
    const session = sessionId === undefined ? undefined : await findSession(store, principal, sessionId);
    const userFiles = parts.userFiles(principal, session?.id);
    const documents = new Map<string, TextPart>();
    const keep = async (part: ImagePart): Promise<ImagePart> => {
      if (part.data === undefined) return part;
      const { data, ...facts } = part;
      if (history) return facts;
      const name = part.mimeType === PDF ? "document.pdf" : "image";
      const { id, mimeType, size } = (await userFiles.save(Buffer.from(data, "base64"), { name })).file;
      if (mimeType === PDF) documents.set(id, { type: "text", text: "", file: { id, name, mimeType, size } });
      return { ...facts, mimeType, fileId: id };
    };
    const kept = await mapImages(newest.parts, keep);
    const attached = (part: Part) => (part.type === "image" ? documents.get(part.fileId ?? "") : undefined);
    return { ...newest, parts: kept.map((part) => attached(part) ?? part) };
  }

  /** Looks up the files that a client names by their ids. Throws NOT_FOUND, FORBIDDEN or INVALID_INPUT. */
  async function withNamedFiles<Some extends Message>(message: Some): Promise<Some> {
    if (!message.parts.some(isNamedFile)) return message;
    const found = message.parts.map(async (part) =>
      isNamedFile(part) ? attachmentParts(files, principal.id, [{ fileId: part.file.id }]) : [part],
    );
    return { ...message, parts: (await Promise.all(found)).flat() };
  }

  const keepBytes = (bytes: Uint8Array) => files.keepTemporarily(principal.id, bytes);

  /** Clients send their history with every request. Stored with each run, an image would be in the database many times. */
  async function keepTemporarily(history: Message[]): Promise<Message[]> {
    const aside = async (part: ImagePart): Promise<ImagePart> => {
      if (part.data === undefined) return part;
      const { data, ...facts } = part;
      return { ...facts, asideId: await keepBytes(Buffer.from(data, "base64")) };
    };
    return Promise.all(
      history.map(async (message) => ({ ...message, parts: await mapImages(message.parts, aside) })),
    );
  }

  function dialectOf(modelId: string): string | undefined {
    const [vendor = "", ...name] = modelId.split("/");
    const provider = models.known().find(({ id }) => id === vendor);
    return typeof provider?.dialect === "function" ? provider.dialect(name.join("/")) : provider?.dialect;
  }

  return {
    conversations: createConversations(parts, principal, recall),
    recall,
    async inputOf({ request: { input } }) {
      const whole = input && ((await withBytes(input, files.readTemporary)) ?? input);
      return whole?.body.items;
    },
    async measure({ model: wanted, history = [], systemPrompt = "", tools = [], clientTools = [] }) {
      const model = await (await modelsFor(principal)).resolve(await modelFor(wanted));
      const offered = [...registry.for(principal).expand(tools), ...clientTools];
      const messages = history.reduce((sum, message) => sum + tokensOfMessage(message), 0);
      const { contextWindow: window } = model.info;
      return {
        tokens: tokensOfOverhead(systemPrompt, offered) + messages,
        window,
        dialect: dialectOf(model.id),
      };
    },
    async embed(wanted, request, signal) {
      const model = await (await modelsFor(principal)).resolve(await modelFor(wanted));
      return embedFor(parts, principal, model, request, signal);
    },
    async start(given, options) {
      const request = {
        ...given,
        ...(given.newest ? { newest: await withNamedFiles(given.newest) } : {}),
        ...(given.history ? { history: await Promise.all(given.history.map(withNamedFiles)) } : {}),
      };
      const { newest: said, history = [] } = request;
      const { native } = request.settings ?? {};
      parts.checkImageAddresses(said ? [...history, said] : history, principal);
      const model = await modelFor(request.model);
      const newest = request.newest && (await keepImages(request.newest, request));
      const settled = settleTools(registry.for(principal), {
        ...request,
        ...(model === undefined ? {} : { model }),
        ...(newest ? { newest } : {}),
        ...(request.history
          ? { history: withModelId(await keepTemporarily(request.history), request.model, model) }
          : {}),
        ...(native
          ? { settings: { ...request.settings, native: await withoutBytes(native, keepBytes) } }
          : {}),
        ...(request.input ? { input: await withoutBytes(request.input, keepBytes) } : {}),
      });
      const started = await runner.start(principal, settled, options);
      return { ...started, clientTools: (settled.clientTools ?? []).map(({ name }) => name) };
    },
    async historyOf(turn) {
      const run = await findOwnRun(store, principal, turn.runId);
      return run ? historyBefore(store, run, turn.request) : [];
    },
    eventsOf: (runId) => readEvents(store, runId),
    async imageAt(imageUrl) {
      const id = fileIdIn(imageUrl);
      try {
        const found = id === undefined ? undefined : await parts.userFiles(principal).load(id);
        return found && Buffer.from(found.bytes).toString("base64");
      } catch (thrown) {
        if (thrown instanceof Failure) return undefined;
        throw thrown;
      }
    },
    async newestIn(sessionId) {
      const session = await findSession(store, principal, sessionId);
      const newest = session ? await store.listMessages(session.id, { limit: NEWEST }) : [];
      const last = newest.findLast(({ role }) => role === "assistant");
      return last?.runId === undefined ? undefined : recall(last.runId);
    },
    async answerTo({ text, after, messageId, sessionId: within }) {
      const named = messageId === undefined ? undefined : await store.getMessage(messageId);
      const sessionId = named?.sessionId ?? after?.sessionId ?? within;
      const session = sessionId === undefined ? undefined : await store.getSession(sessionId);
      if (session?.userId !== principal.id) return undefined;
      const messages = await store.listAllMessages(session.id);
      const questions = messages.filter(
        (one) => one.role === "user" && one.parentId === after?.answer?.id && textOf(one) === text,
      );
      const answer = messages.findLast(
        ({ id, role, parentId }) =>
          role === "assistant" && (!named || named.id === id) && questions.some((one) => one.id === parentId),
      );
      return answer && { sessionId: session.id, regenerate: answer.id };
    },
    async forget({ runId, sessionId }) {
      await runner.cancel(runId);
      await store.putSetting(principal.id, forgottenKey(runId), true);
      const forgotten = await store.getSettings(principal.id);
      const keys = (await store.listAllMessages(sessionId)).map((message) =>
        forgottenKey(message.runId ?? ""),
      );
      // The session has its words until later answers, whose history they are, are forgotten too.
      if (!keys.every((key) => forgotten[key] === true)) return;
      await eraseSession(parts, principal, { id: sessionId });
      for (const key of new Set([forgottenKey(runId), ...keys]))
        await store.putSetting(principal.id, key, undefined);
    },
    seal: (text) => vault.seal(text, place),
    unseal: (sealed) => vault.open(sealed, place),
    async underWay(clientRequestId) {
      for (const runId of await store.activeRuns(principal.id)) {
        const run = await findOwnRun(store, principal, runId);
        if (run && parseRunRequest(run).request.clientRequestId === clientRequestId) return runId;
      }
      return undefined;
    },
  };
}

/** Programs that list models as Ollama does get names with this tag, and use them with other protocols too. */
function withoutTag(name: string, listed: readonly ModelListing[]): string {
  const isListed = listed.some(({ id }) => id === name || id.slice(id.indexOf("/") + 1) === name);
  return isListed ? name : name.slice(0, -TAG.length);
}

/** Gives answers in a history that the client ascribes to the model it asks for our own id of that model. */
function withModelId(history: Message[], asked: string | undefined, model: string | undefined): Message[] {
  if (asked === undefined || model === undefined || asked === model) return history;
  return history.map((message) => (message.model === asked ? { ...message, model } : message));
}

/** True for a part that names a file of which nothing else is known yet. */
function isNamedFile(part: Part): part is TextPart & { file: NonNullable<TextPart["file"]> } {
  return part.type === "text" && part.file?.mimeType === "";
}

/** Replaces the images of a message, also those of results. */
function mapImages(
  parts: readonly Part[],
  replace: (image: ImagePart) => Promise<ImagePart>,
): Promise<Part[]> {
  return Promise.all(
    parts.map(async (part) => {
      if (part.type === "image") return replace(part);
      if (part.type !== "tool_result" || !part.images) return part;
      return { ...part, images: await Promise.all(part.images.map(replace)) };
    }),
  );
}

const PDF = "application/pdf";
/** Asks for every tool of the server. */
const ALL_TOOLS = "all";

/** Leaves out the server's tools whose names the client's own tools have, and tells the model how to use the others. */
function settleTools(registry: Registry, request: TurnRequest): TurnRequest {
  const { systemPrompt = "", optionalTools = [], ...rest } = request;
  const { clientTools = [], warnings = [] } = request;
  if (request.instructions !== undefined && request.tools === undefined) return { ...rest, clientTools };
  const missing = optionalTools.filter((name) => !registry.get(name));
  const asked = [...(request.tools ?? []), ...optionalTools.filter((name) => !missing.includes(name))];
  const names = asked.includes(ALL_TOOLS) ? registry.list().map(({ name }) => name) : asked;
  const tools = names.filter((name) => !clientTools.some((tool) => tool.name === name));
  const told = [...warnings, ...missing.map((name) => `The tool ${name} is not offered by this server.`)];
  const settled = { ...rest, tools, clientTools, warnings: told };
  if (request.instructions !== undefined) return settled;
  const words = tools.length > 0 ? [...TOOL_RULES, systemPrompt] : [systemPrompt];
  return { ...settled, systemPrompt: words.join("\n").trim() };
}
