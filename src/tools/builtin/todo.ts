import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";

const MOST_ITEMS = 20;

const item = z.strictObject({
  text: z.string().trim().min(1).max(200).describe("What is to be done, in a few words"),
  state: z.enum(["open", "doing", "done"]).default("open"),
});

export default defineTool({
  name: "todo",
  description:
    "Your own list of what is to be done, which the person sees. Use it for work of three or more steps, and leave it out otherwise. Every call replaces the whole list, so send all items each time. Keep one item in the state doing, and mark it done as soon as it is.",
  effect: "none",
  retry: "pure",
  trust: "trusted",
  input: z.object({
    items: z.array(item).max(MOST_ITEMS).describe(`The whole list, at most ${MOST_ITEMS} items, in order`),
  }),
  run({ items }, context) {
    context.show({ type: "todo", items });
    const done = items.filter(({ state }) => state === "done").length;
    return items.length === 0
      ? "The list is empty now."
      : `The list is kept: ${done} of ${items.length} done.`;
  },
});
