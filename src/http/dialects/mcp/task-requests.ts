import type { ClientCapabilities, Server, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isObject, type JsonObject } from "../../../protocol/json.ts";
import { followsTasks, needsTasks, type Restart, type TaskKeeper } from "./tasks.ts";

/** Answers requests about tasks. */
export function addTasks(
  server: Server,
  keeper: TaskKeeper,
  userId: string,
  restart: Restart,
  capabilitiesOf: (context: ServerContext) => ClientCapabilities,
): void {
  const named = z.looseObject({ taskId: z.string() });
  const check = (context: ServerContext) => {
    if (!followsTasks(capabilitiesOf(context))) throw needsTasks();
  };
  server.setRequestHandler("tasks/get", { params: named }, async ({ taskId }, context) => {
    check(context);
    return keeper.get(taskId, userId, restart);
  });
  server.setRequestHandler("tasks/update", { params: named }, async (params, context) => {
    check(context);
    const answers = context.mcpReq.inputResponses ?? params.inputResponses;
    await keeper.update(params.taskId, userId, restart, (isObject(answers) ? answers : {}) as JsonObject);
    return {};
  });
  server.setRequestHandler("tasks/cancel", { params: named }, async ({ taskId }, context) => {
    check(context);
    await keeper.cancel(taskId, userId, restart);
    return {};
  });
}
