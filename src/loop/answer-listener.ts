import type { ModelEvent, ModelWarning, Usage } from "../protocol/model.ts";
import { ignoreUnknown } from "../protocol/unknown.ts";
import type { Failed, Finished } from "./ask.ts";
import type { Shown } from "./shown.ts";
import type { Turn } from "./turn.ts";

/** Takes the events of one attempt, shows the answer and keeps what the loop needs. */
export class AnswerListener {
  readonly stop = new AbortController();
  /** How much the model wrote. */
  characters = 0;
  usage: Usage | undefined;
  end: Finished | Failed | undefined;
  overBudget: "output" | "time" | undefined;
  private readonly turn: Turn;
  private readonly shown: Shown;
  private readonly mayWrite: number;
  private readonly deadline: number;

  constructor(turn: Turn, deadline: number, shown: Shown) {
    this.turn = turn;
    this.shown = shown;
    this.mayWrite = turn.limits.maxOutputCharacters;
    this.deadline = deadline;
  }

  take(event: ModelEvent): void {
    if (this.end || this.overBudget) return;
    switch (event.type) {
      case "text_delta":
        if (event.block) this.shown.insert(event.block);
        if (event.text === "") return;
        this.shown.say(event.text);
        this.count(event.text.length);
        return;
      case "reasoning_delta":
        if (event.text !== "") this.shown.think(event.text);
        this.shown.sign(event);
        this.count(event.text.length);
        return;
      case "usage":
        this.usage = event.usage;
        this.shown.reasoningTokens = event.usage.reasoningTokens;
        return;
      case "warning":
        this.warn(event);
        return;
      case "finish":
      case "failure":
        this.end = event;
        return;
      default:
        ignoreUnknown(event, undefined);
    }
  }

  /** Every step of a run may lead to the same warning. The person sees it once. */
  private warn(warning: ModelWarning): void {
    const { log } = this.turn;
    const known = log.state().warnings.some(({ message }) => message === warning.message);
    if (!known) log.emit(warning);
  }

  private count(characters: number): void {
    this.characters += characters;
    if (this.characters > this.mayWrite) this.overBudget = "output";
    else if (this.turn.now() > this.deadline) this.overBudget = "time";
    if (this.overBudget) this.stop.abort();
  }
}
