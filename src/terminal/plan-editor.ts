import type { Decision } from "../protocol/chat.ts";
import { parseJson } from "../protocol/json.ts";
import { planSteps, type ShownPlan } from "../protocol/plan.ts";
import { targetText } from "../protocol/plan-text.ts";
import { reveal } from "./clean.ts";
import type { Key } from "./keys.ts";
import { chop, truncate } from "./lines.ts";
import type { Screen } from "./screen.ts";

const SHOWN_STEPS = 6;

/** Lets a person remove and change the steps of a plan before they approve it. */
export class PlanEditor {
  readonly #screen: Screen;
  readonly #steps: { step: ShownPlan["steps"][number]; struck: boolean }[];
  #selected = 0;
  #changed = false;
  /** The targets that are being typed, as JSON. */
  #typed: string | undefined;
  #problem: string | undefined;

  constructor({ steps }: ShownPlan, screen: Screen) {
    this.#steps = steps.map((step) => ({ step, struck: false }));
    this.#screen = screen;
  }

  /** The steps around the selected one, or the targets that are being typed. */
  lines(): string[] {
    const { columns, paint } = this.#screen;
    const inside = columns - 2;
    const problem = this.#problem === undefined ? [] : [paint("red", truncate(this.#problem, inside))];
    if (this.#typed !== undefined) {
      const typed = chop(`Targets (Enter to keep) ${reveal(this.#typed)}▏`, inside);
      return [...typed, ...problem].map((line) => `  ${line}`);
    }
    const last = this.#steps.length - SHOWN_STEPS;
    const first = Math.max(0, Math.min(this.#selected - Math.floor(SHOWN_STEPS / 2), last));
    const shown = this.#steps.slice(first, first + SHOWN_STEPS).flatMap(({ step, struck }, index) => {
      const at = first + index;
      const mark = struck ? "✗" : "✓";
      const words = `${at === this.#selected ? "▸" : " "} ${mark} ${at + 1} ${step.tool} ${targetText(step.targets)}`;
      const line = reveal(words);
      // The selected one is shown whole.
      if (at === this.#selected)
        return chop(line, inside).map((part) => paint(struck ? "dim" : "bold", part));
      return struck ? paint("dim", truncate(line, inside)) : truncate(line, inside);
    });
    return shown.map((line) => `  ${line}`);
  }

  /** The keys that change the plan. */
  keys(): string[] {
    return this.#typed === undefined ? ["↑↓ step", "x remove", "c change"] : ["Esc leaves it as it was"];
  }

  get typing(): boolean {
    return this.#typed !== undefined;
  }

  /** Handles a key. Returns the approval as it is now, true if the key was used, or false. */
  press(key: Key): Decision | boolean {
    if (this.#typed !== undefined) return this.#type(key, this.#typed);
    const selected = this.#steps[this.#selected];
    if (key.type === "key") {
      if (key.name !== "up" && key.name !== "down") return false;
      const to = this.#selected + (key.name === "up" ? -1 : 1);
      this.#selected = Math.max(0, Math.min(to, this.#steps.length - 1));
      return true;
    }
    if (key.type !== "text" || !key.alone || !selected) return false;
    switch (key.text.toLowerCase()) {
      case "x":
        selected.struck = !selected.struck;
        this.#changed = true;
        return true;
      case "c":
        this.#typed = JSON.stringify(selected.step.targets);
        return true;
      case "y":
        return this.#approval();
      default:
        return false;
    }
  }

  #approval(): Decision {
    if (!this.#changed) return { decision: "once" };
    const left = this.#steps.filter(({ struck }) => !struck);
    const steps = left.map(({ step: { tool, targets, why, times } }) => ({
      tool,
      targets,
      why,
      ...(times === undefined ? {} : { times }),
    }));
    return { decision: "once", steps };
  }

  #type(key: Key, typed: string): true {
    this.#problem = undefined;
    if (key.type !== "key") this.#typed = typed + key.text.replace(/\s+/g, " ");
    else if (key.name === "backspace") this.#typed = Array.from(typed).slice(0, -1).join("");
    else if (key.name === "ctrl-u") this.#typed = "";
    else if (key.name === "escape") this.#typed = undefined;
    else if (key.name === "enter") this.#keep(typed);
    return true;
  }

  #keep(typed: string): void {
    const entry = this.#steps[this.#selected];
    if (!entry) return;
    const { tool, why } = entry.step;
    const targets = parseJson(typed);
    if (!planSteps.safeParse([{ tool, targets, why }]).success) {
      this.#problem = 'Write the targets as JSON, such as {"to": "bob@example.org"}.';
      return;
    }
    entry.step = { ...entry.step, targets };
    entry.struck = false;
    this.#changed = true;
    this.#typed = undefined;
  }
}
