import { isObject } from "../../protocol/json.ts";

/** The revision of MCP Apps that is spoken here, and older ones that differ in nothing that is used. */
const REVISION = "2026-01-26";
const OLDER = ["2025-11-21"];
/** A message of an app is refused beyond this size, counted in characters and values. */
const MAX_SIZE = 12_000_000;
/** An app may send this many messages at once, and then so many each second. The rest is dropped. */
const BURST = 120;
const PER_SECOND = 40;
const MAX_PENDING = 20;
const MAX_ID = 200;
const MAX_VALUES = 300_000;
const TEARDOWN_MS = 1_000;

type Params = Record<string, unknown>;
export type DisplayMode = "inline" | "fullscreen";

/** What an app may ask of the page around it. Requests that are refused throw an `Error` that says why. */
export interface AppHost {
  version: string;
  capabilities: Params;
  context(): Params;
  /** The app is ready to be shown something. */
  initialized(capabilities: Params): void;
  callTool(name: string, args: Params): Promise<unknown>;
  readResource(uri: string): Promise<unknown>;
  /** Resolves with false if the person does not want it. */
  message(text: string): Promise<boolean>;
  openLink(url: string): Promise<boolean>;
  download(contents: unknown[]): Promise<boolean>;
  updateContext(text: string): void;
  displayMode(mode: unknown): DisplayMode;
  resize(height: number): void;
  log(level: string, text: string): void;
  close(): void;
}

/** The connection to an app: JSON-RPC over messages between windows. */
export interface Bridge {
  receive(data: unknown): void;
  notify(method: string, params: Params): void;
  /** Tells the app that it is about to be removed. Resolves when it has answered, or soon. */
  teardown(): Promise<void>;
}

/** Connects to the app in a frame. `post` sends it a message. */
export function createBridge(post: (message: Params) => void, host: AppHost): Bridge {
  let budget = BURST;
  let filledAt = performance.now();
  let pending = 0;
  let tornDown: (() => void) | undefined;

  /** Takes one message from the budget. */
  function mayReceive(): boolean {
    const now = performance.now();
    budget = Math.min(BURST, budget + ((now - filledAt) / 1_000) * PER_SECOND);
    filledAt = now;
    budget -= 1;
    if (budget < 0) budget = 0;
    return budget > 0;
  }

  async function answer(id: string | number, method: string, params: Params): Promise<void> {
    const send = (outcome: Params) => post({ jsonrpc: "2.0", id, ...outcome });
    const fail = (code: number, message: string) => send({ error: { code, message } });
    const handler = Object.hasOwn(requests, method) ? requests[method] : undefined;
    if (!handler) return fail(-32601, `${method.slice(0, 100)} is not supported`);
    if (pending >= MAX_PENDING) return fail(-32000, "Too many requests at once");
    pending++;
    try {
      send({ result: await handler(params) });
    } catch (error) {
      const code = error instanceof TypeError ? -32602 : -32000;
      fail(code, error instanceof Error ? error.message : "It failed");
    } finally {
      pending--;
    }
  }

  const wanted = async (decision: Promise<boolean>) => ((await decision) ? {} : { isError: true });
  const requests: Record<string, (params: Params) => unknown> = {
    ping: () => ({}),
    "ui/initialize": ({ protocolVersion, appCapabilities }) => {
      offered = isObject(appCapabilities) ? appCapabilities : {};
      return {
        protocolVersion: OLDER.includes(String(protocolVersion)) ? protocolVersion : REVISION,
        hostInfo: { name: "Tackle", version: host.version },
        hostCapabilities: host.capabilities,
        hostContext: host.context(),
      };
    },
    "tools/call": ({ name, arguments: args }) =>
      host.callTool(text(name, "name"), isObject(args) ? args : {}),
    "resources/read": ({ uri }) => host.readResource(text(uri, "uri")),
    "ui/message": ({ content }) => wanted(host.message(text(textIn(content), "content"))),
    "ui/open-link": ({ url }) => wanted(host.openLink(text(url, "url"))),
    "ui/download-file": ({ contents }) => {
      if (!Array.isArray(contents) || contents.length === 0) throw new TypeError("contents are missing");
      return wanted(host.download(contents));
    },
    "ui/update-model-context": ({ content, structuredContent }) => {
      const structured = isObject(structuredContent) ? JSON.stringify(structuredContent) : "";
      host.updateContext([textIn(content), structured].filter((part) => part !== "").join("\n"));
      return {};
    },
    "ui/request-display-mode": ({ mode }) => ({ mode: host.displayMode(mode) }),
  };
  let offered: Params = {};
  const notifications: Record<string, (params: Params) => void> = {
    "ui/notifications/initialized": () => host.initialized(offered),
    "ui/notifications/size-changed": ({ height }) => {
      if (typeof height === "number" && Number.isFinite(height)) host.resize(height);
    },
    "ui/notifications/request-teardown": () => host.close(),
    "notifications/message": ({ level, data }) =>
      host.log(
        String(level).slice(0, 20),
        (typeof data === "string" ? data : safeJson(data)).slice(0, 4_000),
      ),
  };

  return {
    receive(data) {
      if (!isObject(data) || data.jsonrpc !== "2.0" || !mayReceive()) return;
      const { id, method } = data;
      const isRequest = typeof id === "number" || (typeof id === "string" && id.length <= MAX_ID);
      if (typeof method !== "string") {
        if (isRequest && id === TEARDOWN_ID) tornDown?.();
        return;
      }
      const params = isObject(data.params) ? data.params : {};
      if (!fits(params, MAX_SIZE)) {
        if (isRequest)
          post({ jsonrpc: "2.0", id, error: { code: -32600, message: "The message is too large" } });
      } else if (isRequest) void answer(id, method, params);
      else if (Object.hasOwn(notifications, method)) notifications[method]?.(params);
    },
    notify: (method, params) => post({ jsonrpc: "2.0", method, params }),
    teardown: () =>
      new Promise((resolve) => {
        tornDown = resolve;
        setTimeout(resolve, TEARDOWN_MS);
        post({ jsonrpc: "2.0", id: TEARDOWN_ID, method: "ui/resource-teardown", params: {} });
      }),
  };
}

const TEARDOWN_ID = "tackle-teardown";

function text(value: unknown, name: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new TypeError(`${name} is missing or has no text`);
}

/** The texts among content blocks. Older apps send one block alone. */
function textIn(content: unknown): string {
  return [content]
    .flat()
    .flatMap((block) =>
      isObject(block) && block.type === "text" && typeof block.text === "string" ? [block.text] : [],
    )
    .join("\n");
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return String(value); // Messages between windows may hold what JSON cannot.
  }
}

/** Whether a value is smaller than the limit, written as JSON. Stops as soon as it is not, so one that holds itself does not. */
function fits(value: unknown, limit: number): boolean {
  let left = limit;
  let values = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (++values > MAX_VALUES) return false;
    if (typeof one === "string") left -= one.length;
    else if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer) left -= one.byteLength;
    else if (typeof one === "object" && one !== null) {
      for (const [key, inner] of Object.entries(one)) {
        left -= key.length;
        if (left < 0) return false;
        open.push(inner);
      }
    }
    if (left < 0) return false;
  }
  return true;
}
