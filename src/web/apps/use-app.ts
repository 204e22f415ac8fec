import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { randomKey } from "../../client/random-key.ts";
import type { AppCall, AppCallAnswer, ShownApp } from "../../protocol/apps.ts";
import type { Decision } from "../../protocol/chat.ts";
import { isObject } from "../../protocol/json.ts";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { safeLink } from "../markdown/links.ts";
import { appContexts } from "../state/app-contexts.ts";
import { askQuestion } from "../state/questions.ts";
import { ask } from "../state/server.ts";
import { useDark } from "../ui/theme.ts";
import { type AppHost, type Bridge, createBridge, type DisplayMode } from "./bridge.ts";
import { fileIn, type OfferedFile } from "./files.ts";
import { deviceContext, hostStyles } from "./host-context.ts";

type Approval = Extract<AppCallAnswer, { approval: unknown }>["approval"];

/** Something that an app wants and only the person can allow. */
export type AppRequest = { id: string; settle(decision: Decision["decision"]): void } & (
  | { kind: "call"; approval: Approval }
  | { kind: "message"; text: string }
  | { kind: "link"; url: string }
  | { kind: "file"; file: OfferedFile }
);
type NewAppRequest = AppRequest extends infer One
  ? One extends AppRequest
    ? Omit<One, "id" | "settle">
    : never
  : never;

const MAX_REQUESTS = 5;
const MAX_CALLS = 50;
const MAX_LINES = 100;
const MAX_MESSAGE = 20_000;
const LOWEST = 80;
const HIGHEST = 800;

/** The state of an app, and the connection to it. */
export function useApp(
  { call, runId, ended }: { call: ToolCallState; runId: string; ended: boolean },
  shown: ShownApp | undefined,
  frame: RefObject<HTMLIFrameElement | null>,
) {
  const path = `/runs/${encodeURIComponent(runId)}/apps/${encodeURIComponent(call.toolCallId)}`;
  const [requests, setRequests] = useState<AppRequest[]>([]);
  const [calls, setCalls] = useState<AppCall[]>([]);
  const [lines, setLines] = useState<string[]>([]);
  const [height, setHeight] = useState(240);
  const [mode, setMode] = useState<DisplayMode>("inline");
  const [stopped, setStopped] = useState(false);
  const [ready, setReady] = useState(false);
  const dark = useDark();
  const theme = dark ? "dark" : "light";
  const modes = useRef<unknown>(undefined);

  function askPerson(wanted: NewAppRequest): Promise<Decision["decision"]> {
    return new Promise((resolve, reject) => {
      const id = randomKey();
      const settle = (decision: Decision["decision"]) => {
        setRequests((all) => all.filter((one) => one.id !== id));
        resolve(decision);
      };
      setRequests((all) => {
        if (all.length < MAX_REQUESTS) return [...all, { ...wanted, id, settle }];
        reject(new Error("The person has not decided on earlier requests yet"));
        return all;
      });
    });
  }

  async function callTool(name: string, args: Record<string, unknown>): Promise<unknown> {
    const callId = randomKey();
    const began = Date.now();
    const add = (outcome: Pick<AppCall, "success" | "error">) =>
      setCalls((all) => {
        const at = new Date().toISOString();
        return [...all, { name, arguments: args, at, latencyMs: Date.now() - began, ...outcome }].slice(
          -MAX_CALLS,
        );
      });
    const send = (more: object) =>
      ask<AppCallAnswer>("POST", `${path}/calls`, { callId, name, arguments: args, ...more });
    try {
      let answer = await send({});
      if ("approval" in answer) {
        const { argumentsHash } = answer.approval;
        const decision = await askPerson({ kind: "call", approval: answer.approval });
        answer = await send({ decision, argumentsHash });
      }
      if ("approval" in answer) throw new Error("The call has changed since it was shown");
      add({ success: answer.result.isError !== true });
      return answer.result;
    } catch (error) {
      add({ success: false, error: error instanceof Error ? error.message : "" });
      throw error;
    }
  }

  const { toolCallId, toolName } = call;
  const newest = useRef({ shown, theme, mode, callTool, askPerson });
  newest.current = { shown, theme, mode, callTool, askPerson };

  const bridge = useMemo<Bridge>(() => {
    const post = (message: object) => frame.current?.contentWindow?.postMessage(message, "*");
    const host: AppHost = {
      version: "1",
      get capabilities() {
        return {
          openLinks: {},
          downloadFile: {},
          serverTools: {},
          serverResources: {},
          logging: {},
          message: { text: {} },
          updateModelContext: { text: {}, structuredContent: {} },
          sandbox: { permissions: {}, csp: newest.current.shown?.domains ?? {} },
        };
      },
      context: () => ({
        ...deviceContext(),
        toolInfo: {
          id: toolCallId,
          tool: newest.current.shown?.tool ?? { name: toolName, inputSchema: {} },
        },
        theme: newest.current.theme,
        styles: hostStyles(),
        displayMode: newest.current.mode,
        availableDisplayModes: ["inline", "fullscreen"],
        containerDimensions: dimensions(frame.current, newest.current.mode),
      }),
      initialized(capabilities) {
        modes.current = capabilities.availableDisplayModes;
        setReady(true);
      },
      callTool: (name, args) => newest.current.callTool(name, args),
      readResource: (uri) => ask("POST", `${path}/resources`, { uri }),
      async message(text) {
        const said = text.slice(0, MAX_MESSAGE);
        if ((await newest.current.askPerson({ kind: "message", text: said })) === "deny") return false;
        const server = newest.current.shown?.server ?? "";
        return askQuestion({ text: said, app: { server, runId, toolCallId } });
      },
      async openLink(url) {
        const safe = safeLink(url);
        if (safe === undefined) throw new TypeError("This address cannot be opened");
        return (await newest.current.askPerson({ kind: "link", url: safe })) !== "deny";
      },
      async download(contents) {
        const [first] = contents;
        const linked = isObject(first) && first.type === "resource_link" && typeof first.uri === "string";
        const read = linked
          ? (await ask<{ contents: unknown[] }>("POST", `${path}/resources`, { uri: first.uri })).contents[0]
          : isObject(first)
            ? first.resource
            : undefined;
        const file = fileIn(read);
        if (!file) throw new TypeError("There is nothing to save");
        if ((await newest.current.askPerson({ kind: "file", file })) === "deny") return false;
        file.save();
        return true;
      },
      updateContext(text) {
        const said = text.slice(0, MAX_MESSAGE);
        if (appContexts.getState()[toolCallId]?.text === said) return;
        appContexts.setState({
          [toolCallId]: { runId, toolCallId, text: said, ...(said === "" ? { sent: true } : {}) },
        });
      },
      displayMode(wanted) {
        const declared = modes.current;
        const next = wanted === "fullscreen" || wanted === "inline" ? wanted : undefined;
        if (!next || (Array.isArray(declared) && !declared.includes(next))) return newest.current.mode;
        setMode(next);
        return next;
      },
      resize: (wanted) => setHeight(Math.min(HIGHEST, Math.max(LOWEST, Math.ceil(wanted)))),
      log: (level, text) => setLines((all) => [...all, `${level}: ${text}`].slice(-MAX_LINES)),
      close: () => void stop(),
    };
    const made = createBridge(post, host);
    async function stop(): Promise<void> {
      await made.teardown();
      setStopped(true);
    }
    return made;
  }, [path, runId, toolCallId, toolName, frame]);

  const { result } = shown ?? {};
  const delivered = useRef({ input: false, result: false });
  useEffect(() => {
    if (!ready || !shown) return;
    if (!delivered.current.input)
      bridge.notify("ui/notifications/tool-input", {
        arguments: isObject(call.arguments) ? call.arguments : {},
      });
    delivered.current.input = true;
    if (!ended || delivered.current.result) return;
    const cancelled = call.error?.code === "CANCELLED" || (call.output === undefined && !call.error);
    if (cancelled)
      bridge.notify("ui/notifications/tool-cancelled", { reason: call.error?.message ?? "It was stopped" });
    else if (result) bridge.notify("ui/notifications/tool-result", result);
    delivered.current.result = cancelled || result !== undefined;
  }, [ready, shown, ended, result, bridge, call]);

  // The app was told the rest when it began.
  const told = useRef({ theme, mode });
  useEffect(() => {
    if (!ready) return;
    if (told.current.theme !== theme)
      bridge.notify("ui/notifications/host-context-changed", { theme, styles: hostStyles() });
    if (told.current.mode !== mode) {
      const containerDimensions = dimensions(frame.current, mode);
      bridge.notify("ui/notifications/host-context-changed", { displayMode: mode, containerDimensions });
    }
    told.current = { theme, mode };
  }, [ready, theme, mode, bridge, frame]);
  useTeardown(bridge, ready && !stopped, frame);

  return {
    requests,
    calls,
    lines,
    height,
    mode,
    stopped,
    setMode,
    addLine: (line: string) => setLines((all) => [...all, line].slice(-MAX_LINES)),
    askToOpen: (url: string) => void openIfWanted(url),
    receive: bridge.receive,
    async stop() {
      await bridge.teardown();
      setStopped(true);
    },
    start() {
      delivered.current = { input: false, result: false };
      setReady(false);
      setStopped(false);
    },
  };

  async function openIfWanted(url: string): Promise<void> {
    const safe = safeLink(url);
    if (safe !== undefined) await askPerson({ kind: "link", url: safe });
  }
}

/** The space that an app has. Inline, it says how high it is. */
function dimensions(frame: HTMLIFrameElement | null, mode: DisplayMode): Record<string, number> {
  const width = frame?.clientWidth ?? 600;
  return mode === "fullscreen"
    ? { width, height: frame?.clientHeight ?? 600 }
    : { width, maxHeight: HIGHEST };
}

/** Lets an app end in peace when its place on the page goes away. Its frame moves aside, where browsers can move it alive. */
function useTeardown(bridge: Bridge, isAlive: boolean, frame: RefObject<HTMLIFrameElement | null>): void {
  const alive = useRef(isAlive);
  alive.current = isAlive;
  useLayoutEffect(() => {
    const element = frame;
    return () => {
      const leaving = element.current;
      const place: { moveBefore?(node: Node, before: Node | null): void } = document.body;
      if (!alive.current || !leaving || !place.moveBefore) return;
      leaving.hidden = true;
      place.moveBefore(leaving, null);
      void bridge.teardown().then(() => leaving.remove());
    };
  }, [bridge, frame]);
}
