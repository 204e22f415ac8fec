import { Answer } from "./answer.js";
import { button, element } from "./elements.js";
import { call, follow, send } from "./server.js";

const EXAMPLES = [
  "What time is it in Tokyo and in Paris?",
  "List the files here",
  "Explain in three sentences how you use tools",
];

const find = (id) => document.getElementById(id);
const page = {
  log: find("log"),
  title: find("title"),
  model: find("model"),
  sessions: find("sessions"),
  message: find("message"),
  send: find("send"),
  stop: find("stop"),
  announcement: find("announcement"),
  menu: find("menu"),
  sidebar: find("sidebar"),
};

/** What is open: its id once it has one, and the turn under way. */
const open = { sessionId: undefined, turn: undefined };

async function ask(text) {
  if (open.turn) return;
  page.log.querySelector(".welcome")?.remove();
  page.log.append(question(text));
  await take((options) => send({ message: text, sessionId: open.sessionId }, options));
}

/** Shows a turn, new or found under way, until its end. */
async function take(run) {
  const leave = new AbortController();
  const turn = { leave, runId: undefined };
  const answer = new Answer((toolCallId, decision) => decide(turn.runId, toolCallId, decision));
  open.turn = turn;
  page.log.append(answer.root);
  setBusy(true);
  scrollToEnd();
  const onEvent = (event) => {
    if (leave.signal.aborted) return;
    const stays = isAtEnd();
    if (event.type === "session") begin(turn, event);
    else answer.add(event);
    if (stays) requestAnimationFrame(scrollToEnd);
  };
  try {
    await run({ onEvent, signal: leave.signal });
  } catch (error) {
    if (leave.signal.aborted) return;
    answer.end();
    answer.fail(error.message);
  }
  if (leave.signal.aborted) return;
  open.turn = undefined;
  setBusy(false);
  scrollToEnd();
  page.message.focus();
  await listSessions();
}

function begin(turn, { sessionId, runId, model, title }) {
  turn.runId = runId;
  open.sessionId = sessionId;
  history.replaceState(null, "", `#/s/${encodeURIComponent(sessionId)}`);
  page.model.textContent = model;
  setTitle(title);
  page.stop.disabled = false;
}

async function decide(runId, toolCallId, decision) {
  try {
    const path = `/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(toolCallId)}`;
    await call(path, { method: "POST", body: { decision } });
    return undefined;
  } catch (error) {
    return error.message;
  }
}

async function stop() {
  const { runId } = open.turn ?? {};
  if (!runId) return;
  page.stop.disabled = true;
  try {
    await call(`/runs/${encodeURIComponent(runId)}/cancel`, { method: "POST" });
  } catch (error) {
    page.stop.disabled = false;
    announce(error.message);
  }
}

/** Shows what the address names: a conversation, or an empty page to begin one. */
async function openFromAddress() {
  open.turn?.leave.abort();
  open.turn = undefined;
  open.sessionId = decodeURIComponent(/^#\/s\/(.+)$/.exec(location.hash)?.[1] ?? "") || undefined;
  setBusy(false);
  closeMenu();
  const { sessionId } = open;
  if (!sessionId) return welcome();
  try {
    const path = `/sessions/${encodeURIComponent(sessionId)}`;
    const [session, { messages }] = await Promise.all([call(path), call(`${path}/messages?limit=60`)]);
    if (open.sessionId !== sessionId) return;
    setTitle(session.title);
    page.log.replaceChildren(...messages.map(showMessage));
    scrollToEnd();
    markOpen();
    const running = session.activeRunId;
    // It may have ended, and become a message, between the two answers.
    if (running && !messages.some((message) => message.role === "assistant" && message.runId === running)) {
      await take((options) => follow(running, options));
    }
  } catch (error) {
    page.log.replaceChildren(element("p", { class: "notice bad", role: "alert" }, error.message));
  }
}

function showMessage(message) {
  if (message.role === "user") return question(message.content);
  const answer = new Answer(async () => "This call is over.");
  const text = { type: "text", text: message.content };
  answer.show(message.state ?? { blocks: [text], finishReason: message.finishReason });
  return answer.root;
}

function welcome() {
  setTitle("Tackle");
  const examples = EXAMPLES.map((text) => button(text, () => ask(text), { class: "example" }));
  page.log.replaceChildren(
    element(
      "section",
      { class: "welcome" },
      element("h2", {}, "What shall we do?"),
      element("p", {}, "Ask a question. Where a tool helps, it is used, and every step is shown here."),
      element("div", { class: "examples" }, ...examples),
    ),
  );
  markOpen();
  page.message.focus();
}

async function listSessions() {
  try {
    const { sessions } = await call("/sessions?limit=50");
    const links = sessions.map(({ id, title }) =>
      element("a", { href: `#/s/${encodeURIComponent(id)}` }, title),
    );
    page.sessions.replaceChildren(...links);
    markOpen();
  } catch (error) {
    page.sessions.replaceChildren(element("p", { class: "notice" }, error.message));
  }
}

async function showModel() {
  try {
    const { models } = await call("/models");
    page.model.textContent ||= models.find((model) => model.default)?.id ?? "";
  } catch (error) {
    announce(error.message);
  }
}

function question(text) {
  return element("article", { class: "question" }, text);
}

function setBusy(busy) {
  page.log.setAttribute("aria-busy", String(busy));
  page.send.hidden = busy;
  page.stop.hidden = !busy;
  page.stop.disabled = true;
  announce(busy ? "The answer has begun." : page.announcement.textContent && "The answer is complete.");
}

function setTitle(title) {
  page.title.textContent = title || "New chat";
  document.title = title && title !== "Tackle" ? `${title} · Tackle` : "Tackle";
}

function markOpen() {
  for (const link of page.sessions.querySelectorAll("a")) {
    const here = link.getAttribute("href") === location.hash;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function announce(sentence) {
  page.announcement.textContent = sentence;
}

function isAtEnd() {
  return page.log.scrollHeight - page.log.scrollTop - page.log.clientHeight < 80;
}

function scrollToEnd() {
  page.log.scrollTop = page.log.scrollHeight;
}

function closeMenu() {
  page.sidebar.classList.remove("open");
  page.menu.setAttribute("aria-expanded", "false");
}

function submit(event) {
  event.preventDefault();
  const text = page.message.value.trim();
  if (!text || open.turn) return;
  page.message.value = "";
  ask(text);
}

// It scrolls, so the keyboard must reach it.
page.log.tabIndex = 0;
find("ask").addEventListener("submit", submit);
page.message.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
});
page.stop.addEventListener("click", stop);
page.menu.addEventListener("click", () => {
  const shown = page.sidebar.classList.toggle("open");
  page.menu.setAttribute("aria-expanded", String(shown));
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (page.sidebar.classList.contains("open")) closeMenu();
  else stop();
});
find("new").addEventListener("click", () => {
  if (location.hash) location.hash = "";
  else openFromAddress();
});
addEventListener("hashchange", openFromAddress);

listSessions();
showModel();
openFromAddress();
