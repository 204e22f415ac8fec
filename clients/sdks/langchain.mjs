// LangChain with any of its chat models.
import {
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import {
  ask,
  check,
  checkPieces,
  load,
  person,
  pictureData,
  same,
  save,
  throws,
  tools,
  tryAll,
} from "./kit.mjs";

/** Tries LangChain with this model. */
export async function tryModel(model) {
  const own = Object.entries(tools).map(([name, { description, fields, run }]) => {
    const schema = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
    // LangChain lets tools tell the model about failures themselves.
    const runOrTell = (input) => run(input).catch((error) => `Error: ${error.message}`);
    return tool(runOrTell, { name, description, schema });
  });
  const agent = createAgent({ model, tools: own });
  const play = async (scene) => {
    const { messages } = await agent.invoke({ messages: [new HumanMessage(ask(scene))] });
    return messages.at(-1).text;
  };

  await tryAll({
    turns: async () => {
      const messages = [new HumanMessage(ask("hello"))];
      const first = await model.invoke(messages);
      check("hello", first.text);
      messages.push(first);
      save(mapChatMessagesToStoredMessages(messages));
      const second = await model.invoke([...messages, new HumanMessage(ask("remember"))]);
      check("remember", second.text);
      if (!second.usage_metadata?.total_tokens) throw new Error("there is no usage");
    },
    stream: async () => {
      let text = "";
      let pieces = 0;
      const messages = [new HumanMessage(ask("shell"))];
      for await (const [chunk] of await agent.stream({ messages }, { streamMode: "messages" })) {
        if (chunk.getType() !== "ai" || !chunk.text) continue;
        text += chunk.text;
        pieces++;
      }
      check("shell", text);
      checkPieces(pieces);
    },
    shell: async () => check("shell", await play("shell")),
    edit: async () => check("edit", await play("edit")),
    image: async () => {
      const image = { type: "image", source_type: "base64", mime_type: "image/png", data: pictureData };
      const message = new HumanMessage({ content: [{ type: "text", text: ask("image") }, image] });
      check("image", (await model.invoke([message])).text);
    },
    fail: async () => check("fail", await play("fail")),
    fields: async () => {
      const schema = z.object({ name: z.string(), age: z.number() });
      same(await model.withStructuredOutput(schema, { name: "person" }).invoke(ask("fields")), person);
    },
    error: async () => void (await throws(() => model.invoke(ask("error")))),
    cancel: async () => {
      const stop = new AbortController();
      try {
        for await (const chunk of await model.stream(ask("wait"), { signal: stop.signal }))
          if (chunk.text) stop.abort();
      } catch (error) {
        if (!stop.signal.aborted) throw error;
      }
    },
    resume: async () => {
      const messages = mapStoredMessagesToChatMessages(load());
      check("remember", (await model.invoke([...messages, new HumanMessage(ask("remember"))])).text);
    },
  });
}
