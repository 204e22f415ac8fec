import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";
import { Failure } from "../../protocol/failure.ts";
import { PLAN_TOOL, proposedSteps } from "../../protocol/plan.ts";
import { planText } from "../../protocol/plan-text.ts";

export default defineTool({
  name: PLAN_TOOL,
  description:
    "Asks the person once for all calls that will send or change something, instead of once for each. Use it before you read " +
    "anything from outside (web pages, mail, files, results of other services), when the task needs several such calls, or one " +
    "after such reading, and you know their targets from what the person wrote. Leave it out for a single call, for tasks that only " +
    "read, and where targets are not known yet. List only calls that send or change, with their exact targets. Where one of them " +
    "needs a value that another call will return, such as an id, list that call before it, and leave the id out. The result is the " +
    "plan as the person approved it; calls that differ from it are asked about.",
  effect: "none",
  retry: "pure",
  trust: "trusted",
  parallel: false,
  input: z.object({
    steps: proposedSteps.describe("The calls that send or change something, in order"),
  }),
  run(_, { approvedPlan }) {
    if (!approvedPlan)
      throw new Failure("INVALID_INPUT", "A plan is approved in a conversation, so it cannot be made here.");
    return {
      output: `The person approved this plan, as it stands here. It holds until the end of your answer. Calls that match it run without a question, once each unless it says otherwise.\n\n${planText(approvedPlan)}`,
      data: approvedPlan,
    };
  },
});
