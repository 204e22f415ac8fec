// A page built with the AI SDK. Only the address is specific to Tackle.
import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const id = new URLSearchParams(location.search).get("id") ?? "chat";
const kept = JSON.parse(sessionStorage.getItem(id) ?? "[]") as UIMessage[];

function Page() {
  const [text, setText] = useState("");
  const chat = useChat({
    id,
    messages: kept,
    resume: true,
    transport: new DefaultChatTransport({ api: "/chat/ui" }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const { messages, status, error } = chat;
  useEffect(() => {
    // The resumed stream repeats the unfinished message.
    const whole =
      status === "ready"
        ? messages
        : messages.filter(({ role }, at) => role === "user" || at < messages.length - 1);
    sessionStorage.setItem(id, JSON.stringify(whole));
  }, [messages, status]);
  return (
    <main>
      <p data-testid="status">{status}</p>
      {error && <p role="alert">{error.message}</p>}
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {numbered(message.parts).map(({ key, part }) => (
            <Part key={key} part={part} decide={chat.addToolApprovalResponse} />
          ))}
        </article>
      ))}
      <input value={text} onChange={({ target }) => setText(target.value)} />
      <button type="button" onClick={() => void chat.sendMessage({ text })}>
        Send
      </button>
      <button type="button" onClick={() => void chat.regenerate()}>
        Again
      </button>
      <button
        type="button"
        onClick={() => {
          void chat.stop();
          void fetch(`/chat/ui/${id}/stop`, { method: "POST" });
        }}
      >
        Stop
      </button>
    </main>
  );
}

/** Uses the index as the key, because parts are only ever appended. */
function numbered(parts: UIMessage["parts"]) {
  return parts.map((part, at) => ({ key: `part ${at}`, part }));
}

type Decide = ReturnType<typeof useChat>["addToolApprovalResponse"];

function Part({ part, decide }: { part: UIMessage["parts"][number]; decide: Decide }) {
  if (part.type === "text") return <p data-part="text">{part.text}</p>;
  if (part.type === "reasoning") return <p data-part="reasoning">{part.text}</p>;
  if (part.type !== "dynamic-tool") return null;
  const approval = part.state === "approval-requested" ? part.approval : undefined;
  return (
    <div data-part="tool" data-state={part.state}>
      {part.toolName} {"output" in part ? JSON.stringify(part.output) : ""}
      {approval && (
        <>
          <button type="button" onClick={() => void decide({ id: approval.id, approved: true })}>
            Allow
          </button>
          <button
            type="button"
            onClick={() => void decide({ id: approval.id, approved: false, reason: "not now" })}
          >
            Refuse
          </button>
        </>
      )}
    </div>
  );
}

const root = document.getElementById("root");
if (root) createRoot(root).render(<Page />);
