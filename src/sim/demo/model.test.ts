import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoModel, startDemoModel } from "./model.ts";
import { type Answer, answered, askStream, TOOLS, tool } from "./testing.ts";

let model: DemoModel;
beforeAll(async () => {
  model = await startDemoModel({ tokensPerSecond: 0 });
});
afterAll(() => model.close());

function ask(content: string, body: Record<string, unknown> = {}): Promise<Answer> {
  return askStream(model.url, { tools: TOOLS, messages: [{ role: "user", content }], ...body });
}

async function callsFor(content: string, body: Record<string, unknown> = {}) {
  const { calls } = await ask(content, body);
  return calls.map((call) => [call.name, call.arguments]);
}

async function answerTo(question: string, ...outputs: (string | Error)[]): Promise<Answer> {
  const { calls } = await ask(question);
  return askStream(model.url, { tools: TOOLS, messages: answered(question, calls, outputs) });
}

const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const file = (operation: string, rest: object) => ["filesystem", { operation, ...rest }];

describe("plain language becomes calls", () => {
  it.each<[string, unknown[]]>([
    ["what time is it in Tokyo", [["get_time", { timeZone: "Asia/Tokyo" }]]],
    ["What time is it in Tokyo? Show it as a table.", [["get_time", { timeZone: "Asia/Tokyo" }]]],
    ["What time is it?", [["get_time", { timeZone: here }]]],
    ["what's the date today?", [["get_time", { timeZone: here }]]],
    ["current time in Europe/Berlin please", [["get_time", { timeZone: "Europe/Berlin" }]]],
    ["What's the time in San Francisco?", [["get_time", { timeZone: "America/Los_Angeles" }]]],
    ["Use get_time for India", [["get_time", { timeZone: "Asia/Kolkata" }]]],
    ["list the files here", [file("list", { path: "." })]],
    ["ls src", [file("list", { path: "src" })]],
    ["how many files are here?", [file("list", { path: "." })]],
    ["List files in src/tools", [file("list", { path: "src/tools" })]],
    ["what files are in this folder?", [file("list", { path: "." })]],
    ["show me the contents of the docs folder", [file("list", { path: "docs" })]],
    ["read README.md", [file("read", { path: "README.md" })]],
    ["What does src/app/tackle.ts say?", [file("read", { path: "src/app/tackle.ts" })]],
    ["search the files for TODO items", [file("search", { path: ".", query: "TODO items" })]],
    ["search the files for hello in this project", [file("search", { path: ".", query: "hello" })]],
    ['find "export default" in the code', [file("search", { path: ".", query: "export default" })]],
    ["which files contain needle?", [file("search", { path: ".", query: "needle" })]],
    ["does package.json exist", [file("exists", { path: "package.json" })]],
    ["Is there a file notes.txt?", [file("exists", { path: "notes.txt" })]],
    ["write a file notes.txt saying hello", [file("write", { path: "notes.txt", content: "hello\n" })]],
    ["write 'good morning' to greet.txt", [file("write", { path: "greet.txt", content: "good morning\n" })]],
    ["save this as out.txt: Hello there!", [file("write", { path: "out.txt", content: "Hello there!\n" })]],
    ["create hello.py with print('hi')", [file("write", { path: "hello.py", content: "print('hi')\n" })]],
    ["delete old.log", [file("delete", { path: "old.log" })]],
    ["rename a.txt to b.txt", [file("move", { path: "a.txt", destination: "b.txt" })]],
    [
      "replace 'cat' with 'dog' in pets.txt",
      [file("edit", { path: "pets.txt", oldText: "cat", newText: "dog" })],
    ],
    ["how big is data.csv?", [file("metadata", { path: "data.csv" })]],
    ["run `ls -la`", [["execute_command", { command: "ls -la" }]]],
    ["run echo 'hi' | wc -c", [["execute_command", { command: "echo 'hi' | wc -c" }]]],
    ["Please run the command git status", [["execute_command", { command: "git status" }]]],
    ["run `echo one; echo two and list`", [["execute_command", { command: "echo one; echo two and list" }]]],
    ["search for the tallest lighthouse", [["browser_search", { query: "the tallest lighthouse" }]]],
    ["search the web for rain and snow", [["browser_search", { query: "rain and snow" }]]],
    ["look up Ada Lovelace", [["browser_search", { query: "Ada Lovelace" }]]],
    ["fetch https://example.com/a?b=1.", [["web_fetch", { url: "https://example.com/a?b=1" }]]],
    ["fetch example.com", [["web_fetch", { url: "https://example.com" }]]],
    ["summarize https://example.com", [["web_fetch", { url: "https://example.com" }]]],
    [
      "paint an image of a lighthouse at dusk",
      [["generate_image", { prompt: "a lighthouse at dusk", mode: "generate", aspectRatio: "1:1" }]],
    ],
    ["Draw a cat", [["generate_image", { prompt: "a cat", mode: "generate", aspectRatio: "1:1" }]]],
  ])("%s", async (question, expected) => {
    expect(await callsFor(question)).toEqual(expected);
  });

  it.each<[string, string, string, RegExp]>([
    ["make a counter in React", "react", "Counter", /export default function Counter/],
    ["Build me a todo list app", "react", "To-do list", /export default function TodoList/],
    ["create a clock", "react", "Clock", /setInterval/],
    ["make a bar chart of apples 3, pears 5 and plums 8", "react", "Bar chart", /label: "pears", value: 5/],
    ["draw a diagram of wash -> dry -> fold", "mermaid", "Wash to fold", /step0 --> step1/],
    ["draw a flowchart", "mermaid", "How a question is answered", /^flowchart TD/],
    ["svg of a green star", "svg", "Green star", /<polygon/],
    ["create an svg of a red heart", "svg", "Red heart", /fill="#dc2626"/],
    [
      "make a markdown table with name, age and city columns",
      "markdown",
      "Table",
      /\| Name \| Age \| City \|/,
    ],
    ["build an html page about my bakery", "html", "Bakery", /<h1>Bakery<\/h1>/],
    ["write a python function for fibonacci", "code", "Fibonacci numbers", /def fibonacci/],
    ["make a react component about weather", "react", "Weather", /export default function Card/],
  ])("%s", async (question, type, title, code) => {
    const [call, ...others] = await callsFor(question);
    expect(others).toEqual([]);
    expect(call?.[0]).toBe("generate_artifact");
    const given = call?.[1] as Record<string, string>;
    expect(given.type).toBe(type);
    if (title) expect(given.title).toBe(title);
    expect(given.code).toMatch(code);
    expect(given.prompt).toBeUndefined();
  });

  it.each<[string, unknown[]]>([
    [
      "what time is it in Tokyo and list the files here",
      [["get_time", { timeZone: "Asia/Tokyo" }], file("list", { path: "." })],
    ],
    [
      "time in Paris, London and New York",
      ["Europe/Paris", "Europe/London", "America/New_York"].map((timeZone) => ["get_time", { timeZone }]),
    ],
    [
      "Read package.json, then run `npm -v`. Search the web for hono",
      [
        file("read", { path: "package.json" }),
        ["execute_command", { command: "npm -v" }],
        ["browser_search", { query: "hono" }],
      ],
    ],
    [
      "check whether a.json exists and read it",
      [file("exists", { path: "a.json" }), file("read", { path: "a.json" })],
    ],
    ["read a.md and b.md", [file("read", { path: "a.md" }), file("read", { path: "b.md" })]],
  ])("several at once: %s", async (question, expected) => {
    const answer = await ask(question);
    expect(answer.calls.map((call) => [call.name, call.arguments])).toEqual(expected);
    expect(answer.finishReason).toBe("tool_calls");
    expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(expected.length);
    expect(answer.reasoning).toMatch(/^\*\*Understanding the request\*\*\n- /);
  });

  it("adapts parameter names to the offered tool", async () => {
    const tools = [tool("filesystem", { operation: {}, path: {}, pattern: {} })];
    expect(await callsFor("search the files for hello", { tools })).toEqual([
      file("search", { path: ".", pattern: "hello" }),
    ]);
  });

  it("searches the files of a project if it has some, and remembers what it is told", async () => {
    const tools = [
      tool("filesystem", { operation: {}, path: {}, query: {} }),
      tool("search_files", { query: {} }),
    ];
    expect(await callsFor("search the files for desks", { tools })).toEqual([
      ["search_files", { query: "desks" }],
    ]);
    const remember = [tool("remember", { text: {} })];
    expect(await callsFor("Remember that I like tea and coffee.", { tools: remember })).toEqual([
      ["remember", { text: "I like tea and coffee" }],
    ]);
  });

  it.each(["browser.search", "web_search", "web_search_exa"])(
    "searches with %s if it is offered",
    async (name) => {
      const tools = [tool(name, { query: { type: "string" } })];
      expect(await callsFor("search for owls", { tools })).toEqual([[name, { query: "owls" }]]);
    },
  );
});

describe("third-party tools", () => {
  const dice = tool("roll_dice", { sides: { type: "integer" }, count: { type: "integer" } }, ["sides"]);
  const weather = tool(
    "weather.forecast",
    { city: { type: "string" }, unit: { type: "string", enum: ["celsius", "fahrenheit"] } },
    ["city", "unit"],
  );
  const note = tool("note", { text: { type: "string" }, pinned: { type: "boolean" } }, ["text"]);
  const sum = tool("math.sum", { numbers: { type: "array", items: { type: "number" } } }, ["numbers"]);
  const tools = [...TOOLS, dice, weather, note, sum];

  it.each<[string, unknown[]]>([
    ["roll the dice with 20 sides", [["roll_dice", { sides: 20 }]]],
    ["call roll_dice sides=12 count=3", [["roll_dice", { sides: 12, count: 3 }]]],
    ['use roll_dice {"sides": 8}', [["roll_dice", { sides: 8 }]]],
    ["weather forecast for Paris", [["weather.forecast", { city: "Paris", unit: "celsius" }]]],
    ["weather.forecast in Oslo in fahrenheit", [["weather.forecast", { city: "Oslo", unit: "fahrenheit" }]]],
    ['use the note tool with "buy milk"', [["note", { text: "buy milk" }]]],
    ["use note for water the plants", [["note", { text: "water the plants" }]]],
    ["use math.sum with 1, 2 and 3.5", [["math.sum", { numbers: [1, 2, 3.5] }]]],
  ])("%s", async (question, expected) => {
    expect(await callsFor(question, { tools })).toEqual(expected);
  });

  it("gives every required field a value of its type", async () => {
    const everything = tool(
      "misc_check",
      {
        a: { type: "string" },
        b: { type: "number" },
        c: { type: "boolean" },
        d: { type: "array" },
        e: { type: "object" },
      },
      ["a", "b", "c", "d", "e"],
    );
    const [call] = await callsFor("use misc_check", { tools: [everything] });
    const given = call?.[1] as Record<string, unknown>;
    expect(Object.values(given).map((value) => (Array.isArray(value) ? "array" : typeof value))).toEqual([
      "string",
      "number",
      "boolean",
      "array",
      "object",
    ]);
  });
});

describe("a tool that is not offered", () => {
  it("is never called, and the answer says what to set", async () => {
    const answer = await ask("list the files here", { tools: [TOOLS[0]] });
    expect(answer.calls).toEqual([]);
    expect(answer.finishReason).toBe("stop");
    expect(answer.content).toContain("TACKLE_ROOTS");
  });

  it("is mentioned after the calls that could be made", async () => {
    const tools = [TOOLS[0]];
    const question = "what time is it in Rome and list the files here";
    const { calls } = await ask(question, { tools });
    expect(calls.map(({ name }) => name)).toEqual(["get_time"]);
    const messages = answered(question, calls, [
      "It is Sunday, 2026-11-15, 04:00:00 in Europe/Rome (UTC+01:00).",
    ]);
    const { content } = await askStream(model.url, { tools, messages });
    expect(content).toMatch(/04:00[\s\S]*TACKLE_ROOTS/);
  });
});

describe("tool_choice", () => {
  it("none makes no calls and says why", async () => {
    const answer = await ask("what time is it in Tokyo", { tool_choice: "none" });
    expect(answer.calls).toEqual([]);
    expect(answer.content).toContain("switched off");
  });

  it("required makes a call, whatever the message, and then answers", async () => {
    const { calls } = await ask("hello", { tool_choice: "required" });
    expect(calls).toHaveLength(1);
    const messages = answered("hello", calls, ["It is Sunday, 2026-11-15, 04:00:00 in UTC (UTC+00:00)."]);
    const then = await askStream(model.url, { tools: TOOLS, tool_choice: "required", messages });
    expect(then.calls).toEqual([]);
    expect(then.content).toContain("04:00");
  });

  it("a named tool is the one that is called", async () => {
    const choice = { type: "function", function: { name: "generate_artifact" } };
    const [call] = await callsFor("a counter", { tool_choice: choice });
    expect(call).toMatchObject(["generate_artifact", { type: "react", title: "Counter" }]);
  });
});

describe("what the person chose for a message", () => {
  const note = (kind: string, name: string) =>
    `(Note from Tackle: today is 2026-11-19. The person wants ${kind}: prefer the tool ${name} where it fits.)`;

  it.each([
    ["a lighthouse at dusk", "an image", "generate_image", { prompt: "a lighthouse at dusk" }],
    ["a counter", "something made", "generate_artifact", { type: "react", title: "Counter" }],
  ])("becomes a call where its words alone ask for none: %s", async (words, kind, name, args) => {
    const [call] = await callsFor(`${words}\n\n${note(kind, name)}`);
    expect(call).toMatchObject([name, args]);
  });

  it("gives way to what its words ask for", async () => {
    const [call] = await callsFor(`what time is it in Tokyo\n\n${note("an image", "generate_image")}`);
    expect(call?.[0]).toBe("get_time");
  });
});

describe("answers from results", () => {
  it("tells the time", async () => {
    const { content, finishReason } = await answerTo(
      "what time is it in Tokyo",
      "It is Sunday, 2026-11-15, 12:53:25 in Asia/Tokyo (UTC+09:00). ISO 8601: 2026-11-15T12:53:25+09:00",
    );
    expect(content).toBe("It is **12:53** in Tokyo, on Sunday, 15 November 2026 (UTC+09:00).");
    expect(finishReason).toBe("stop");
  });

  it("shows several times in a table, in the order of the calls, before the files", async () => {
    const { content } = await answerTo(
      "time in Paris and London, then list the files here",
      "It is Sunday, 2026-11-15, 05:00:00 in Europe/Paris (UTC+01:00).",
      "It is Sunday, 2026-11-15, 04:00:00 in Europe/London (UTC+00:00).",
      "README.md\nsrc/\n",
    );
    expect(content).toMatch(
      /\| Paris \| \*\*05:00\*\*.*\n\| London \| \*\*04:00\*\*[\s\S]*2 entries here:\n\n- `README.md`\n- `src\/`/,
    );
  });

  it("summarizes a search with citations", async () => {
    const output =
      "[1] Tall lights\nhttps://a.example/x\nThe tallest one appears in Jeddah. More follows.\n\n[2] Lights\nhttps://b.example\nA list.";
    const { content } = await answerTo("search for lighthouses", output);
    expect(content).toContain("- **Tall lights**: The tallest one appears in Jeddah [1]");
    expect(content).toContain("[2] [Lights](https://b.example)");
  });

  it("shows what a command printed, and explains a failure", async () => {
    const good = await answerTo(
      "run `pwd`",
      '{"exit_code":0,"stdout":"/home\\n","stderr":"","duration_ms":4}',
    );
    expect(good.content).toBe("`pwd` ran well.\n\n```\n/home\n```");
    const begun = await answerTo("run `serve` in the background", '{"commandId":"cmd_1","state":"running"}');
    expect(begun.content).toContain("`serve` goes on in the background as `cmd_1`.");
    const bad = await answerTo("run `pwd`", '{"exit_code":2,"stdout":"","stderr":"no","duration_ms":4}');
    expect(bad.content).toContain("exit code 2");
  });

  it("shows a file inside a fence that the file cannot close", async () => {
    const { content } = await answerTo("read README.md", "# Hi\n```js\n1 < 2 && 3\n```");
    expect(content).toContain("````md\n# Hi\n```js\n1 < 2 && 3\n```\n````");
  });

  it("shows the beginning of a result with any number of fences", async () => {
    const { content } = await answerTo("read README.md", "```\n".repeat(500_000));
    expect(content).toMatch(/^[^\n]*\n\n````md\n[\s\S]*more lines/);
  });

  it("explains an error and what to do", async () => {
    const { content, reasoning } = await answerTo("run `rm x`", new Error("The person said no"));
    expect(content).toBe(
      "That did not work: The person said no.\n\nNothing was changed. If you do want it, ask again and allow it, or adjust the policy.",
    );
    expect(reasoning).toContain("1 of 1 did not work");
  });

  it("answers yes or no, and points at what was made", async () => {
    expect((await answerTo("does a.txt exist", "false")).content).toBe("No, there is no `a.txt`.");
    expect((await answerTo("does a.txt exist", '{"exists":true}')).content).toBe("Yes, `a.txt` exists.");
    expect((await answerTo("make a counter in React", "ok")).content).toContain("**Counter** is ready");
  });
});

describe("conversation", () => {
  it.each<[string, RegExp]>([
    ["Hello!", /offline demo model[\s\S]*What time is it[\s\S]*OPENAI_API_KEY[\s\S]*tackle doctor/],
    ["help", /offline demo model[\s\S]*List the files[\s\S]*Fetch https/],
    ["what can you do?", /offline demo model/],
    ["who are you?", /demo model of \*\*Tackle\*\*/],
    ["thanks a lot", /welcome/],
    ["what is 12 * (3 + 4)?", /^12 \* \(3 \+ 4\) = \*\*84\*\*$/],
    ["2 plus 2", /^2 \+ 2 = \*\*4\*\*$/],
    ["15% of 80", /\*\*12\*\*$/],
    ["what is 2 ^ 3 ^ 2 / 2", /\*\*256\*\*$/],
    ["Why do leaves fall?", /“Why do leaves fall\?”[\s\S]*offline demo model[\s\S]*OPENAI_API_KEY/],
  ])("%s", async (question, expected) => {
    const { content, calls } = await ask(question);
    expect(calls).toEqual([]);
    expect(content).toMatch(expected);
  });

  it("names no tools that only follow up on others", async () => {
    const tools = [...TOOLS, tool("read_result", {}), tool("roll_dice", {})];
    const { content } = await ask("what can you do?", { tools });
    expect(content).toContain("Use roll_dice");
    expect(content).not.toContain("read_result");
  });

  it("understands “and in London?” and “again” from the conversation", async () => {
    const first = "what time is it in Tokyo";
    const { calls } = await ask(first);
    const past = [
      ...answered(first, calls, ["It is Sunday."]),
      { role: "assistant", content: "It is Sunday." },
    ];
    const london = await ask("", { messages: [...past, { role: "user", content: "and in London?" }] });
    expect(london.calls[0]?.arguments).toEqual({ timeZone: "Europe/London" });
    const again = await ask("", { messages: [...past, { role: "user", content: "again" }] });
    expect(again.calls[0]?.arguments).toEqual({ timeZone: "Asia/Tokyo" });
    expect(again.calls[0]?.id).not.toBe(calls[0]?.id);
  });

  it("makes an artifact green on request, as a new version of it", async () => {
    const first = "make a counter in React";
    const tools = [tool("generate_artifact", { type: {}, title: {}, code: {}, artifactId: {} })];
    const { calls } = await ask(first, { tools });
    const past = answered(first, calls, ["Made, artifactId: art-12."]);
    const green = await ask("", { tools, messages: [...past, { role: "user", content: "make it green" }] });
    expect(green.calls[0]?.arguments).toMatchObject({ artifactId: "art-12", title: "Counter" });
    expect(green.calls[0]?.arguments.code).toContain("bg-green-600");
    const said = "“Counter” (react) is ready and shown to the person: artifact art_7f-3, version 1.";
    const own = [...answered(first, calls, [said]), { role: "user", content: "make it green" }];
    expect((await ask("", { tools, messages: own })).calls[0]?.arguments.artifactId).toBe("art_7f-3");
  });

  it("says what is in a file that came alone, or that shall be summarized", async () => {
    const file = '<attached_file name="notes.txt">\nHerons fish. What time is it in Tokyo?\n</attached_file>';
    for (const words of ["", "Summarize this file.\n"]) {
      const { content, calls } = await ask(words + file);
      expect(calls).toEqual([]);
      expect(content).toContain("**notes.txt** has 8 words in 1 line.");
      expect(content).toContain("> Herons fish.");
    }
    expect((await ask(`What time is it in Paris?\n${file}`)).calls).not.toEqual([]);
  });

  it("makes a second call if it needs the result of the first", async () => {
    const question = "search for owls and open the first result";
    const { calls } = await ask(question);
    expect(calls.map(({ name }) => name)).toEqual(["browser_search"]);
    const then = await askStream(model.url, {
      tools: TOOLS,
      messages: answered(question, calls, ["[1] Owls\nhttps://owls.example/a\nAll about owls."]),
    });
    expect(then.calls.map((call) => [call.name, call.arguments])).toEqual([
      ["web_fetch", { url: "https://owls.example/a" }],
    ]);
  });

  it("handles text without a request, and very long text", async () => {
    expect((await ask("")).content).toContain("What would you like");
    const long = await ask(`what time is it in Rome? ${"word and, then; ".repeat(5_000)}`);
    expect(long.calls).toHaveLength(1);
  });
});

describe("side jobs for the product itself", () => {
  const sideJob = (system: string, content: string) =>
    ask("", {
      tools: [],
      messages: [
        { role: "system", content: system },
        { role: "user", content },
      ],
    });

  it("writes only code when told to", async () => {
    const { content, reasoning } = await sideJob(
      "You write React components. Answer with the code only.",
      "a pretty counter",
    );
    expect(content).toMatch(/^import \{ useState \} from "react";[\s\S]*export default function Counter/);
    expect(content).not.toContain("```");
    expect(reasoning).toBe("");
  });

  it("keeps the code that it is asked to revise", async () => {
    const existing = 'export default () => <p className="text-indigo-600">Hi</p>;\n';
    const { content } = await sideJob(
      "Return only the code.",
      `Make it green.\n\`\`\`tsx\n${existing}\`\`\``,
    );
    expect(content).toBe(existing.replace("indigo", "green"));
  });

  it("rewrites a query and writes a title", async () => {
    const query = await sideJob(
      "Rewrite the question as a search query. Answer with the query only.",
      "Can you tell me what is the tallest lighthouse?",
    );
    expect(query.content).toBe("tallest lighthouse");
    const title = await sideJob("Write a title of at most six words.", "Please make a counter in React");
    expect(title.content).toBe("Counter");
    const asked = await sideJob("Write a title of at most six words.", "Ask me which I like: red or green");
    expect(asked.content).toBe("Red or green");
    for (const [question, short] of [
      ["What time is it in Tokyo and Paris?", "Time in Tokyo and Paris"],
      ["write 'Buy milk and bread' to the file notes.txt", "Buy milk and bread"],
      ["Draw a flowchart of how a tool call works", "How a tool call works"],
    ] as const)
      expect((await sideJob("Write a title of at most six words.", question)).content).toBe(short);
  });
});

describe("on the wire", () => {
  it("lists its model", async () => {
    const response = await fetch(`${model.url}/v1/models`);
    expect(await response.json()).toMatchObject({ object: "list", data: [{ id: "demo" }] });
  });

  it("returns one JSON object if no stream is requested", async () => {
    const response = await fetch(`${model.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: "2+2" }] }),
    });
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: "2+2 = **4**" }, finish_reason: "stop" }],
      usage: { total_tokens: expect.any(Number) },
    });
  });

  it("sends usage in a stream only on request", async () => {
    expect((await ask("hello")).usage).toBeUndefined();
    const { usage } = await ask("hello", { stream_options: { include_usage: true } });
    expect(usage).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) });
  });

  it("streams a word at a time", async () => {
    const { content, frames } = await ask("hello");
    expect(frames).toBeGreaterThan(content.split(/\s+/).length * 0.9);
  });

  it("explains what is wrong with an invalid request", async () => {
    const bad = await fetch(`${model.url}/v1/chat/completions`, { method: "POST", body: "{" });
    expect([bad.status, (await bad.json()) as unknown]).toMatchObject([
      400,
      { error: { message: /messages/ } },
    ]);
    expect((await fetch(`${model.url}/v2`)).status).toBe(404);
  });

  it("streams at a human pace, and stops when the client goes away", async () => {
    const slow = await startDemoModel({ tokensPerSecond: 50 });
    const abort = new AbortController();
    const begin = performance.now();
    const response = await fetch(`${slow.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ stream: true, messages: [{ role: "user", content: "hello" }] }),
      signal: abort.signal,
    });
    const reader = response.body!.getReader();
    for (let count = 0; count < 6; count++) await reader.read();
    expect(performance.now() - begin).toBeGreaterThan(60);
    abort.abort();
    await expect(reader.read()).rejects.toThrow();
    await slow.close();
  });
});

describe("a question that nobody would ask", () => {
  /** Generous, because the machine may be busy: without bounds these take seconds. */
  const MOST_MS = 500;
  it.each(["-", "a.", "../", "; a", " \n", "and then ", "&a;", "@", "keep a todo list "])(
    "is answered soon, however often it says %j",
    async (piece) => {
      const before = process.cpuUsage();
      const { content, calls } = await ask(`What is ${piece.repeat(99_000 / piece.length)}?`);
      const { user, system } = process.cpuUsage(before);
      expect(content !== "" || calls.length > 0).toBe(true);
      expect((user + system) / 1_000).toBeLessThan(MOST_MS);
    },
  );
});
