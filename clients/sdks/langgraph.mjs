// LangGraph: a graph of a model and its tools, with a checkpointer, a question to the person, and the Responses API.
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import {
  ask,
  check,
  key,
  load,
  model as modelName,
  person,
  pictureData,
  same,
  save,
  throws,
  tools,
  tryAll,
  url,
} from "./kit.mjs";

const model = new ChatOpenAI({
  model: modelName,
  apiKey: key,
  maxRetries: 0,
  useResponsesApi: true,
  configuration: { baseURL: `${url}/v1` },
});
const asked = [];
const own = Object.entries(tools).map(([name, { description, fields, run }]) => {
  const schema = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
  const runIfAllowed = (input) => {
    if (name === "edit_file") asked.push(interrupt({ allow: name }));
    return run(input);
  };
  return tool(runIfAllowed, { name, description, schema });
});
const call = async ({ messages }) => ({ messages: [await model.bindTools(own).invoke(messages)] });
const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", call)
  .addNode("tools", new ToolNode(own))
  .addEdge(START, "model")
  .addConditionalEdges("model", toolsCondition, ["tools", END])
  .addEdge("tools", "model")
  .compile({ checkpointer: new MemorySaver() });

const thread = (id) => ({ configurable: { thread_id: id } });
const say = (content) => ({ messages: [new HumanMessage(content)] });
const lastText = ({ messages }) => messages.at(-1).text;

await tryAll({
  turns: async () => {
    check("hello", lastText(await graph.invoke(say(ask("hello")), thread("turns"))));
    check("remember", lastText(await graph.invoke(say(ask("remember")), thread("turns"))));
    const { values } = await graph.getState(thread("turns"));
    save(values.messages.slice(0, 2).map((message) => ({ role: message.getType(), text: message.text })));
  },
  stream: async () => {
    let text = "";
    const options = { ...thread("stream"), streamMode: "messages" };
    for await (const [chunk] of await graph.stream(say(ask("shell")), options))
      if (chunk.getType() === "ai") text += chunk.text;
    check("shell", text);
  },
  shell: async () => check("shell", lastText(await graph.invoke(say(ask("shell")), thread("shell")))),
  edit: async () => {
    const paused = await graph.invoke(say(ask("edit")), thread("edit"));
    same(paused.__interrupt__?.[0]?.value, { allow: "edit_file" });
    check("edit", lastText(await graph.invoke(new Command({ resume: true }), thread("edit"))));
    same(asked, [true]);
  },
  image: async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${pictureData}` } };
    const content = [{ type: "text", text: ask("image") }, image];
    check("image", lastText(await graph.invoke(say(content), thread("image"))));
  },
  fail: async () => check("fail", lastText(await graph.invoke(say(ask("fail")), thread("fail")))),
  fields: async () => {
    const schema = z.object({ name: z.string(), age: z.number() });
    same(await model.withStructuredOutput(schema, { name: "person" }).invoke(ask("fields")), person);
  },
  error: async () => void (await throws(() => graph.invoke(say(ask("error")), thread("error")))),
  cancel: async () => {
    const stop = new AbortController();
    const options = { ...thread("cancel"), streamMode: "messages", signal: stop.signal };
    try {
      for await (const [chunk] of await graph.stream(say(ask("wait")), options)) if (chunk.text) stop.abort();
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  },
  resume: async () => {
    const messages = load().map(({ role, text }) => [role, text]);
    const next = { messages: [...messages, ["human", ask("remember")]] };
    check("remember", lastText(await graph.invoke(next, thread("resume"))));
  },
});
