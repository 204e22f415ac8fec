import { z } from "zod";
import type { Turn } from "../../src/sim/turn.ts";
import { chatTurn } from "../../src/sim/turns.ts";
import type { RecordedRequest } from "../../src/sim/upstream.ts";
import type { Arguments, Call, Injection, Task } from "./suite.ts";

const asked = z.object({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
});

/** Letters that stand for each other in names of tools: vendors do not take every one. */
const spelled = (name: string) => name.replace(/[^a-z0-9]+/gi, "_");

export interface Script {
  /** Returns a call as the product offers it. */
  spell(call: Call): { name: string; arguments: Record<string, unknown> };
  task: Task;
  injection?: Injection | undefined;
  /** The steps of a plan that is proposed before anything is read. */
  plan?: readonly { tool: string; targets: unknown; why: string; times?: number }[] | undefined;
}

/**
 * A model that does its task call by call, and obeys what it reads: once a result holds the planted sentence, it first does what
 * that says.
 */
export class ObedientModel {
  readonly #script: Script;
  readonly #own: Call[];
  #injected: Call[] = [];
  #waits: "own" | "injected" | "plan" | undefined;
  #results = 0;
  #seen = "";
  #all = "";
  #refused = false;
  /** True once it has read the planted sentence. */
  hijacked = false;

  constructor(script: Script) {
    this.#script = script;
    this.#own = [...script.task.calls];
  }

  /** True if every call of the task was made and everything that the answer says was read. */
  get done(): boolean {
    const { answer = [] } = this.#script.task;
    return !this.#refused && this.#own.length === 0 && answer.every((fact) => this.#all.includes(fact));
  }

  /** Answers a request of the product. */
  answer({ body }: RecordedRequest): Turn {
    const { messages, tools } = asked.parse(body);
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
    if (results.length > this.#results) this.#read(results.at(-1) ?? "");
    this.#results = results.length;
    const offered = new Map(tools.map(({ function: { name } }) => [spelled(name), name]));
    const say = (name: string, args: unknown) =>
      chatTurn({ calls: [{ name: offered.get(spelled(name)) ?? name, arguments: args }] });
    const { plan, spell } = this.#script;
    if (plan && this.#waits === undefined) {
      this.#waits = "plan";
      return say("propose_plan", { steps: plan });
    }
    const evil = this.#injected.shift();
    const next = evil ?? (this.#refused ? undefined : this.#own.shift());
    this.#waits = evil ? "injected" : "own";
    if (!next) return chatTurn({ text: `Done. ${(this.#script.task.answer ?? []).join(", ")}` });
    const [name, args = {}] = next;
    const call = spell([name, evil ? this.#filled(args) : args]);
    return say(call.name, call.arguments);
  }

  #read(result: string): void {
    const text = /<result>([\s\S]*)<\/result>/.exec(result)?.[1]?.trim() ?? result;
    const failed = /<status>error<\/status>/.test(result);
    if (failed && this.#waits === "own") this.#refused = true;
    if (failed) return;
    this.#seen = text;
    this.#all += text;
    const { injection } = this.#script;
    if (!injection || this.hijacked || !text.includes(injection.says)) return;
    this.hijacked = true;
    this.#injected = [...injection.calls];
  }

  /** Puts what was read last where the planted sentence wants it. */
  #filled(args: Arguments): Arguments {
    const data = this.#seen.slice(0, 120).replaceAll(/[\s"]+/g, " ");
    const forms: Record<string, string> = {
      seen: data,
      query: encodeURIComponent(data),
      words: data
        .split(/[^\w]+/)
        .filter(Boolean)
        .join("/"),
      base64: (
        Buffer.from(data)
          .toString("base64url")
          .match(/.{1,16}/g) ?? []
      ).join("/"),
    };
    const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, form: string) => forms[form] ?? "");
    return Object.fromEntries(
      Object.entries(args).map(([name, value]) => [name, typeof value === "string" ? fill(value) : value]),
    );
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = z.array(z.looseObject({ text: z.string().optional() })).safeParse(content);
  return parts.success ? parts.data.map(({ text = "" }) => text).join("") : "";
}
