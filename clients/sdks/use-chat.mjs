// The chat behind the AI SDK's `useChat`, with a transport to our server and tools that run in the page.
import { Chat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import {
  ask,
  cannot,
  check,
  checkPieces,
  load,
  pictureData,
  save,
  schemaOf,
  throws,
  tools,
  tryAll,
  url,
} from "./kit.mjs";

const offered = Object.entries(tools).map(([name, tool]) => ({
  name,
  description: tool.description,
  parameters: schemaOf(tool),
}));

/** A conversation that waits until nothing is left to do. */
function converse(messages = []) {
  let texts = 0;
  const chat = new Chat({
    messages,
    transport: new DefaultChatTransport({ api: `${url}/chat/ui`, body: { tools: offered } }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: async ({ toolCall: { toolName, toolCallId, input } }) => {
      if (!(toolName in tools)) return;
      const answer = { tool: toolName, toolCallId };
      // Not awaited, as its documentation says: the answer is sent when the stream has ended.
      tools[toolName].run(input).then(
        (output) => chat.addToolOutput({ ...answer, output }),
        (error) => chat.addToolOutput({ ...answer, state: "output-error", errorText: error.message }),
      );
    },
  });
  chat["~registerMessagesCallback"](() => texts++);
  const say = async (message) => {
    await chat.sendMessage(message);
    while (!isDone(chat)) await new Promise((resolve) => setTimeout(resolve, 50));
    if (chat.error) throw chat.error;
    const { parts } = chat.messages.at(-1);
    return parts.map(({ text = "" }) => text).join("");
  };
  return { chat, say, changes: () => texts };
}

function isDone({ status, messages }) {
  const waits = messages.at(-1).parts.some(({ state }) => state?.startsWith("input-"));
  return (
    status === "error" ||
    (status === "ready" && !waits && !lastAssistantMessageIsCompleteWithToolCalls({ messages }))
  );
}

const play = async (scene) => check(scene, await converse().say({ text: ask(scene) }));
const fileOf = (filename, mediaType, bytes) => ({
  type: "file",
  filename,
  mediaType,
  url: `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`,
});

await tryAll({
  turns: async () => {
    const { say, chat } = converse();
    check("hello", await say({ text: ask("hello") }));
    save(chat.messages);
    check("remember", await say({ text: ask("remember") }));
  },
  stream: async () => {
    const { say, changes } = converse();
    check("hello", await say({ text: ask("hello") }));
    checkPieces(changes());
  },
  shell: () => play("shell"),
  edit: () => play("edit"),
  image: async () => {
    const files = [
      fileOf("notes.md", "text/markdown", "# Notes"),
      fileOf("table.csv", "text/csv", "a,b\n1,2"),
      fileOf("drawing.svg", "image/svg+xml", "<svg/>"),
      fileOf("data.bin", "application/octet-stream", [0, 1, 255]),
      fileOf("sound.mp3", "audio/mpeg", [0x49, 0x44, 0x33, 0]),
      fileOf("picture.png", "image/png", Buffer.from(pictureData, "base64")),
    ];
    check("image", await converse().say({ text: ask("image"), files }));
  },
  fail: () => play("fail"),
  fields: async () => cannot("it shows conversations"),
  error: async () => void (await throws(() => converse().say({ text: ask("error") }))),
  cancel: async () => {
    const { chat } = converse();
    const sent = chat.sendMessage({ text: ask("wait") });
    while (!chat.messages.at(-1)?.parts.some(({ type, text }) => type === "text" && /Well/.test(text)))
      await new Promise((resolve) => setTimeout(resolve, 50));
    await chat.stop();
    await sent;
    // Closing the connection does not end a run, so that people can come back to it.
    await fetch(`${url}/chat/ui/${chat.id}/stop`, { method: "POST" });
  },
  resume: async () => check("remember", await converse(load()).say({ text: ask("remember") })),
});
