import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";

const text = z.string().trim().min(1);

/** Models give a list where several options may be chosen. */
function joined(given: unknown): unknown {
  return Array.isArray(given) ? given.join(", ") : given;
}

export default defineTool({
  name: "ask_user",
  description:
    "Asks the person a question and waits for the answer. Use it where you need a decision or a fact that only the person has, and a wrong guess would cost more than the question. Give up to four options if the answers are foreseeable, the best one first; the person can also answer in their own words. Never ask for passwords, keys or other secrets. An answer is no permission: actions that need an approval still get one.",
  effect: "none",
  retry: "idempotent",
  trust: "trusted",
  input: z.object({
    question: text.max(2_000).describe("One question, with what the person needs to know to answer it"),
    options: z.array(text.max(200)).max(10).optional().describe("Foreseeable answers, the best one first"),
    optionDetails: z
      .array(z.string().trim().max(200))
      .max(10)
      .optional()
      .describe("What each option means, in one short line, in the same order; empty where that is clear"),
    multiple: z.boolean().optional().describe("True if several options may be chosen"),
    default: z
      .preprocess(joined, text.max(2_000))
      .optional()
      .describe("What you will assume if nobody answers"),
  }),
  async run({ question, default: fallback, ...options }, context) {
    const instead =
      fallback === undefined
        ? "Go on with what is most sensible and say so, or stop."
        : `Go on with: ${fallback}`;
    if (!context.ask || context.attended === false)
      return { output: `Nobody is there to answer. ${instead}`, data: { answered: false } };
    const answer = await context.ask(question, { ...options, ...(fallback ? { default: fallback } : {}) });
    if (answer === undefined)
      return { output: `Nobody answered in time. ${instead}`, data: { answered: false } };
    const given = [answer].flat();
    const chosen = given.filter((one) => options.options?.includes(one));
    const written = given.filter((one) => !chosen.includes(one));
    const lines = [
      ...(chosen.length > 0 ? [`The person chose: ${chosen.join("; ")}`] : []),
      ...written.map((one) => `The person answered: ${one}`),
    ];
    return { output: lines.join("\n"), data: { answered: true, answer } };
  },
});
