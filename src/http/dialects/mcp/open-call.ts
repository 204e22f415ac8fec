import type { ClientCapabilities, ServerContext } from "@modelcontextprotocol/server";
import { Failure } from "../../../protocol/failure.ts";
import type { JsonSchema } from "../../../protocol/json.ts";
import type { AskPerson } from "../../../protocol/questions.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import type { FormAnswer, ToolClient } from "../../../protocol/tool-client.ts";
import { hasRoots, isFormAnswer, isList, isMessage, pausing } from "./answers.ts";

/** A request that the client is to answer before the call can continue. */
export interface InputRequest {
  method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  params: Record<string, unknown>;
}

interface Waiting {
  request: InputRequest;
  accepts(answer: unknown): boolean;
  resolve(answer: unknown): void;
}

/** The question whether a call may run. No tool may ask under this name. */
export const APPROVAL = "tackle_approval";

export type Answers = Readonly<Record<string, unknown>>;
export type CallStep<Result> = { result: Result } | { requests: Record<string, InputRequest> };

/** The parts of a tool's context that reach the client. */
export type ClientContext = Required<Pick<ToolContext, "ask" | "log" | "client" | "timeLimit">>;

/**
 * A call that may ask the client something and then waits, without a connection, for the answer. A question whose answer is
 * known already, because the client sent it along or the call starts again, is not asked.
 */
export class OpenCall<Result> {
  /** The request that waits for the next step, if there is one. */
  context: ServerContext | undefined;
  readonly stop = new AbortController();
  readonly answers: Record<string, unknown> = {};
  /** Set by the caller that runs the call, once it may have changed something. */
  started = false;
  /** What the call needed, but the client cannot do. */
  missing: ClientCapabilities | undefined;
  readonly #capabilities: ClientCapabilities;
  readonly #hide: (text: string) => string;
  readonly #waiting = new Map<string, Waiting>();
  #result: Promise<Result> | undefined;
  #asked = Promise.withResolvers<void>();
  #given = Promise.withResolvers<void>();
  #questions = 0;

  constructor(
    context: ServerContext | undefined,
    capabilities: ClientCapabilities,
    hide: (text: string) => string,
  ) {
    this.context = context;
    this.#capabilities = capabilities;
    this.#hide = hide;
  }

  /** Starts the work. Answers that the client sent along count. */
  begin(answers: Answers, work: (forTool: ClientContext) => Promise<Result>): void {
    Object.assign(this.answers, answers);
    this.#result = work(this.#clientContext());
    // It is awaited with the next step, which may never come.
    this.#result.catch(() => undefined);
  }

  /** Passes answers to the questions that wait for them. One that does not fit is ignored, or, if it is final, counts as none. */
  give(answers: Answers, final = false): void {
    for (const [key, given] of Object.entries(answers)) {
      const waiting = this.#waiting.get(key);
      if (!waiting || !(final || waiting.accepts(given))) continue;
      const answer = waiting.accepts(given) ? given : { action: "cancel" };
      this.#waiting.delete(key);
      this.answers[key] = answer;
      waiting.resolve(answer);
      this.#given.resolve();
      this.#given = Promise.withResolvers();
    }
    if (this.#waiting.size === 0) this.#asked = Promise.withResolvers();
  }

  /** Resolves with the next answer, or when the call is stopped. */
  given(): Promise<void> {
    const { promise, resolve } = this.#given;
    this.stop.signal.addEventListener("abort", () => resolve(), { once: true });
    return promise;
  }

  /** Returns the result, or what the client has to answer first. */
  async next(): Promise<CallStep<Result>> {
    if (!this.#result) throw new Error("the call has not begun");
    const done = this.#result.then((result) => ({ result }));
    const asked = this.#asked.promise.then(() => ({ requests: this.requests() }));
    return Promise.race([done, asked]);
  }

  requests(): Record<string, InputRequest> {
    return Object.fromEntries([...this.#waiting].map(([key, { request }]) => [key, request]));
  }

  /** Asks a yes-or-no question. Undefined where the client cannot show it. */
  get askToAllow(): ((question: string) => Promise<boolean>) | undefined {
    if (!this.#can().elicitation) return undefined;
    return async (question) => {
      const { action, content } = await this.#elicit(APPROVAL, question, {
        type: "object",
        properties: { allow: { type: "boolean", title: "Allow this call", default: false } },
        required: ["allow"],
      });
      return action === "accept" && content?.allow === true;
    };
  }

  #can(): ToolClient["capabilities"] {
    const { elicitation, sampling, roots } = this.#capabilities;
    const forms = elicitation?.form !== undefined || elicitation?.url === undefined;
    return {
      elicitation: elicitation !== undefined && forms,
      sampling: sampling !== undefined,
      roots: roots !== undefined,
    };
  }

  #clientContext(): ClientContext {
    const timeLimit: ClientContext["timeLimit"] = { pause() {}, resume() {} };
    const ask = this.#ask.bind(this, timeLimit);
    const elicit = (key: string, message: string, schema: JsonSchema) =>
      pausing(timeLimit, () => this.#elicit(key, message, schema));
    return {
      timeLimit,
      ask: this.#askPerson((message, schema) => elicit(this.#keyOr(undefined), message, schema)),
      log: (level, message) => {
        // The client may be gone.
        this.context?.mcpReq.log(level, this.#hide(String(message))).catch(() => undefined);
      },
      client: {
        capabilities: this.#can(),
        elicit: async ({ key, message, schema }) => elicit(this.#keyOr(key), message, schema),
        sample: async ({ key, ...params }) => {
          const request = { method: "sampling/createMessage" as const, params };
          const answer = await ask(this.#keyOr(key), request, "sampling", isMessage);
          if (!isMessage(answer))
            throw new Failure("TOOL_FAILED", "The calling program sent no valid answer.");
          return answer;
        },
        roots: async (key) => {
          const request = { method: "roots/list" as const, params: {} };
          const answer = await ask(this.#keyOr(key), request, "roots", hasRoots);
          return hasRoots(answer) ? answer.roots : [];
        },
      },
    };
  }

  /** Questions get the same names each time the call starts again. */
  #keyOr(key: string | undefined): string {
    this.#questions++;
    return key === undefined || key === APPROVAL ? `question-${this.#questions}` : key;
  }

  async #elicit(key: string, message: string, schema: JsonSchema): Promise<FormAnswer> {
    const requestedSchema = { type: "object", properties: {}, ...schema };
    const params = { mode: "form", message: this.#hide(message), requestedSchema };
    const answer = await this.#wait(key, { method: "elicitation/create", params }, "elicitation", (one) =>
      isFormAnswer(one, requestedSchema),
    );
    return isFormAnswer(answer, requestedSchema) ? answer : { action: "cancel" };
  }

  #ask(
    timeLimit: ClientContext["timeLimit"],
    key: string,
    request: InputRequest,
    needs: keyof ToolClient["capabilities"],
    accepts: (answer: unknown) => boolean,
  ): Promise<unknown> {
    return pausing(timeLimit, () => this.#wait(key, request, needs, accepts));
  }

  async #wait(
    key: string,
    request: InputRequest,
    needs: keyof ToolClient["capabilities"],
    accepts: (answer: unknown) => boolean,
  ): Promise<unknown> {
    if (!this.#can()[needs]) {
      this.missing = { ...this.missing, [needs]: {} };
      throw new Failure("TOOL_FAILED", `The program that made this call does not support ${needs}.`);
    }
    const known = this.answers[key];
    if (accepts(known)) return known;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(key, { request, accepts, resolve });
    this.stop.signal.addEventListener("abort", () => reject(new Failure("CANCELLED", "It was stopped.")), {
      once: true,
    });
    // Questions that are asked side by side go out together.
    const { resolve: tell } = this.#asked;
    setImmediate(() => tell());
    return promise;
  }

  #askPerson(elicit: (message: string, schema: JsonSchema) => Promise<FormAnswer>): AskPerson {
    return async (question, given = []) => {
      if (!this.#can().elicitation) return undefined;
      const { options = [], multiple = false, default: assumed } = isList(given) ? { options: given } : given;
      const one = { type: "string", ...(options.length > 0 ? { enum: [...options] } : {}) };
      const field = multiple ? { type: "array", items: one } : one;
      const answer = { title: "Answer", ...field, ...(assumed === undefined ? {} : { default: assumed }) };
      const schema = { type: "object", properties: { answer }, required: ["answer"] };
      const { action, content } = await elicit(question, schema);
      return action === "accept" ? (content?.answer as string | string[] | undefined) : undefined;
    };
  }
}
