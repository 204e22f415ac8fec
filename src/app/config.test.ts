import { mkdtempSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { loadConfig } from "./config.ts";

const data = mkdtempSync(join(tmpdir(), "tackle-config-"));
const load = (env: Record<string, string> = {}, terminal = false) =>
  loadConfig({ env: { TACKLE_DATA: data, ...env }, terminal, cwd: "/somewhere" });

describe("settings", () => {
  it("have the contract's defaults, larger ones in the terminal", () => {
    expect(load()).toMatchObject({
      host: "127.0.0.1",
      port: 8787,
      auth: "none",
      roots: [],
      loop: {
        maxIterations: { guest: 10, account: 25 },
        maxToolCalls: { guest: 3, account: 50 },
        parallelTools: 4,
      },
      toolTimeoutMs: 60_000,
      streamIdleMs: 30_000,
      readBackoff: true,
      requestLimits: {
        windowMinutes: 300,
        chat: { guest: 20, account: 100 },
        generate_image: { guest: 2, account: 25 },
      },
    });
    expect(load({}, true)).toMatchObject({
      roots: ["/somewhere"],
      loop: { maxIterations: { account: 50 }, maxToolCalls: { account: 100 } },
    });
  });

  it.each(["sk-1\n", " sk-1 ", '"sk-1"', "'sk-1'\r\n"])(
    "take the key %j without what is around it",
    (key) => {
      const { settings } = load({
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: key.replace("sk-1", "http://vendor/v1"),
        TACKLE_SECRET: ` ${"s".repeat(32)}`,
      });
      expect(settings).toMatchObject({
        OPENAI_API_KEY: "sk-1",
        OPENAI_BASE_URL: "http://vendor/v1",
        TACKLE_SECRET: ` ${"s".repeat(32)}`,
      });
    },
  );

  it.each(["…", "sk-1 sk-2", "sk-1\nsk-2", "Bearer sk-1"])("refuse %j, which is no key", (key) => {
    expect(() => load({ OPENAI_API_KEY: key })).toThrow(/^OPENAI_API_KEY: .*copy the key again\.$/);
  });

  it("know ~, which only shells do", () => {
    const home = homedir();
    expect(load({ TACKLE_ROOTS: "~/work:/srv:~", TACKLE_TOOLS_DIR: "~/tools" })).toMatchObject({
      roots: [join(home, "work"), "/srv", home],
      toolsDir: join(home, "tools"),
    });
    expect(loadConfig({ env: { TACKLE_DATA: "~/.t-none" }, cwd: "/" }).dataDir).toBe(join(home, ".t-none"));
    expect(load({ TACKLE_TOOLS_DIR: "~else/tools" }).toolsDir).toBe("/somewhere/~else/tools");
  });

  it.each([
    ["TACKLE_TRUST_PROXY", "true", "TACKLE_TRUST_PROXY: must be 0 or 1."],
    ["TACKLE_AUTH", "on", "TACKLE_AUTH: must be none, guest or required."],
    ["TACKLE_LIMITS", '{"chat":5}', "TACKLE_LIMITS: chat must be a JSON object."],
    ["TACKLE_LIMITS", "[]", "TACKLE_LIMITS: must be a JSON object."],
    ["TACKLE_LIMITS", '{"chat":{"guest":5}}', "TACKLE_LIMITS: chat.account must be a number."],
    ["TACKLE_LIMITS", '{"chats":{}}', 'TACKLE_LIMITS: has an unknown entry "chats".'],
    ["OPENAI_BASE_URL", "api.openai.com/v1", "OPENAI_BASE_URL: must be an http(s) address."],
    ["OLLAMA_BASE_URL", "gpu:11434", "OLLAMA_BASE_URL: must be an http(s) address."],
  ])("say in words what is wrong with %s=%s", (name, value, sentence) => {
    expect(() => load({ [name]: value })).toThrow(expect.objectContaining({ publicMessage: sentence }));
  });

  it("say that the data directory is a file", () => {
    const file = join(data, "a-file");
    writeFileSync(file, "");
    expect(() => load({ TACKLE_DATA: file })).toThrow(`TACKLE_DATA: ${file} is not a folder.`);
  });

  it("refuse a journal without its database, and addresses of something else", () => {
    const DATABASE_URL = "postgres://tackle@db/tackle";
    const url = "nats://user:password@one:4222,two:4222?streams=2";
    expect(load({ DATABASE_URL, TACKLE_JOURNAL_URL: url }).journalUrl).toBe(url);
    expect(() => load({ TACKLE_JOURNAL_URL: url })).toThrow(
      "TACKLE_JOURNAL_URL: needs PostgreSQL; set DATABASE_URL",
    );
    expect(() => load({ DATABASE_URL, TACKLE_JOURNAL_URL: "redis://one:6379" })).toThrow(
      "must be nats://host:port",
    );
  });

  it("name what is wrong with the address of a mail server", () => {
    const mail = (url: string) =>
      load({
        TACKLE_SMTP_URL: url,
        TACKLE_MAIL_FROM: "Tackle <tackle@example.com>",
        TACKLE_PUBLIC_URL: "https://chat.example.com",
      }).smtp?.url;
    for (const url of ["smtps://ada:p%40ss@mail.example.com", "smtp://[::1]:25?tls=optional", "smtp://mail"])
      expect(mail(url)).toBe(url);
    for (const url of ["mail.example.com", "https://mail.example.com", "smtp:mail", "smtp://"])
      expect(() => mail(url)).toThrow("must be an address such as smtps://");
    expect(() => mail("smtp://mail.example.com?tls=never")).toThrow("may end in ?tls=required");
    expect(() => mail("smtp://ada:100%@mail.example.com")).toThrow("write %25 for it");
  });

  it("name the origins of sites, apps and extensions", () => {
    const origins = [
      "https://chat.example.com",
      "app://obsidian.md",
      "chrome-extension://abcdefgh",
      "file://",
    ];
    expect(load({ TACKLE_CORS_ORIGINS: origins.join("/, ") }).corsOrigins).toEqual(origins);
  });

  it("come from the environment first, then from the file in the data directory", () => {
    writeFileSync(
      join(data, "tackle.config.json"),
      '{"PORT": 9000, "TACKLE_MODEL": "zai/glm-4.6", "TACKLE_MAX_ITERATIONS": 4}',
    );
    try {
      expect(load({ TACKLE_MAX_ITERATIONS: "7" })).toMatchObject({
        port: 9000,
        model: "zai/glm-4.6",
        loop: { maxIterations: { guest: 7, account: 7 } },
      });
      const overridden = loadConfig({ env: { TACKLE_DATA: data }, overrides: { port: "1234" }, cwd: "/" });
      expect(overridden.port).toBe(1234);
    } finally {
      writeFileSync(join(data, "tackle.config.json"), "{}");
    }
  });

  it("may be written in the file as JSON writes them: lists, true and false, and null for none", () => {
    const file = join(data, "tackle.config.json");
    const written = {
      TACKLE_ROOTS: ["/a", "~/b"],
      TACKLE_FETCH_ALLOW: ["wiki:80", "mail:8080"],
      TACKLE_TRUST_PROXY: true,
      TACKLE_REHEARSE: false,
      OPENAI_API_KEY: null,
      TACKLE_MODEL: "",
    };
    writeFileSync(file, `\uFEFF${JSON.stringify(written)}`);
    try {
      const config = load();
      expect(config).toMatchObject({
        roots: ["/a", join(homedir(), "b")],
        fetchAllow: ["wiki:80", "mail:8080"],
        trustProxy: true,
        rehearse: false,
        model: undefined,
      });
      expect(config.settings.OPENAI_API_KEY).toBeUndefined();
    } finally {
      writeFileSync(file, "{}");
    }
  });

  it("are not repeated when the file is not JSON, because it may hold keys", () => {
    const file = join(data, "tackle.config.json");
    writeFileSync(file, '{"OPENAI_API_KEY": sk-secret}');
    try {
      expect(() => load()).toThrow(/^tackle\.config\.json: is not JSON: ((?!secret).)*\.$/);
    } finally {
      writeFileSync(file, "{}");
    }
  });

  it("set steps and tool calls for everybody, or by role in the limits", () => {
    const limits =
      '{"iterations":{"guest":2,"account":4},"toolCalls":{"guest":0,"account":6},"chat":{"guest":1,"account":1}}';
    expect(load({ TACKLE_LIMITS: limits }).loop).toMatchObject({
      maxIterations: { guest: 2, account: 4 },
      maxToolCalls: { guest: 0, account: 6 },
    });
    expect(load({ TACKLE_LIMITS: limits }, true).loop.maxToolCalls).toEqual({ guest: 0, account: 6 });
    expect(load({ TACKLE_LIMITS: limits, TACKLE_MAX_TOOL_CALLS: "9" }).loop).toMatchObject({
      maxIterations: { guest: 2, account: 4 },
      maxToolCalls: { guest: 9, account: 9 },
    });
    expect(() => load({ TACKLE_LIMITS: '{"iterations":{"guest":0,"account":1}}' })).toThrow(
      /TACKLE_LIMITS: iterations.guest/,
    );
  });

  it("can override single rows of the limits", () => {
    const { requestLimits } = load({
      TACKLE_LIMITS: '{"web_fetch":{"guest":1,"account":2},"api":{"perMinute":9}}',
    });
    expect(requestLimits).toMatchObject({
      web_fetch: { guest: 1, account: 2 },
      api: { perMinute: 9 },
      chat: { guest: 20 },
    });
  });

  it("admit guests if the server is open to the network, and never treat everyone as the owner", () => {
    expect(load({ HOST: "0.0.0.0" }).auth).toBe("guest");
    expect(() => load({ HOST: "0.0.0.0", TACKLE_AUTH: "none" })).toThrow(/TACKLE_AUTH/);
  });

  it.each([
    ["PORT", "http"],
    ["PORT", "70000"],
    ["TACKLE_MODEL", "gpt-4o"],
    ["TACKLE_AUTH", "open"],
    ["TACKLE_LIMITS", "{"],
    ["TACKLE_LIMITS", '{"chat":{"guest":-1,"account":1}}'],
    ["TACKLE_PROCESSES", "0"],
    ["TACKLE_PROCESSES", "many"],
    ["TACKLE_CORS_ORIGINS", "*"],
    ["TACKLE_CORS_ORIGINS", "null"],
    ["TACKLE_CORS_ORIGINS", "app://*"],
    ["TACKLE_FETCH_ALLOW", "intranet"],
    ["TACKLE_PRICES", '{"a/b":{"input":"free"}}'],
  ])("with an invalid value fail with one line that names %s", (name, value) => {
    let thrown: unknown;
    try {
      load({ [name]: value });
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toBeInstanceOf(Failure);
    expect((thrown as Failure).publicMessage).toMatch(new RegExp(`^${name}: [^\\n]+\\.$`));
  });

  it("keep the policy out of the reach of tools", () => {
    const env = { TACKLE_ROOTS: "/somewhere", TACKLE_POLICY: "/somewhere/policy.json" };
    expect(() => load(env)).toThrow(/TACKLE_POLICY/);
    expect(load({ ...env, TACKLE_POLICY: "/somewhere-else/policy.json" }).policyFile).toBe(
      "/somewhere-else/policy.json",
    );
  });

  it.each(["TACKLE_MCP", "TACKLE_OPENAPI"])("keep %s out of the reach of tools, too", (name) => {
    expect(() => load({ TACKLE_ROOTS: "/somewhere", [name]: "/somewhere/file.json" })).toThrow(name);
    expect(() => load({ TACKLE_ROOTS: "/somewhere", [name]: "/elsewhere/file.json" })).not.toThrow();
  });
});
