import { describe, expect, it } from "vitest";
import { runTurn } from "../../loop/run.ts";
import {
  calls,
  memoryLog,
  ofType,
  type Script,
  says,
  scriptedModel,
  type TurnOptions,
  tool,
  turnOver,
} from "../../loop/testing/scripted.ts";
import type { Turn } from "../../loop/turn.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { Failure } from "../../protocol/failure.ts";
import { type Part, textMessage } from "../../protocol/messages.ts";
import type { RunInput } from "../../protocol/run-records.ts";
import { parseRecording } from "./read.ts";
import { createRecorder } from "./record.ts";
import { playRecording } from "./replay.ts";
import { replayLines } from "./report.ts";

const KEY = "the-very-secret-value-1";

/** Records turns over scripted models, one after the other, and returns the file. */
async function record(...turns: { scripts: Script[]; options?: TurnOptions }[]): Promise<string> {
  let file = "";
  const recorder = createRecorder({
    write: (text) => {
      file += text;
    },
    program: "tackle test",
    secrets: {
      redactText: (text) => text.replaceAll(KEY, "[key]"),
      isSecretField: (name) => name === "password",
    },
    onProblem: (thrown) => {
      throw thrown;
    },
  });
  for (const { scripts, options } of turns) {
    const session = {
      type: "session",
      sessionId: "s",
      runId: "run_1",
      messageId: "msg_2",
      model: "m",
      title: "",
    };
    const log = memoryLog([session as never]);
    await recorder.record(turnOver(scriptedModel(scripts).model, { log, ...options }).turn, runTurn);
  }
  return file;
}

async function replayOf(file: string) {
  return playRecording(parseRecording(file));
}

describe("a recording", () => {
  it.each<[string, Script[], TurnOptions]>([
    ["a plain answer", [says("Hello.")], {}],
    [
      "parallel calls",
      [
        calls({ name: "a", arguments: '{"value":1}' }, { name: "b", arguments: '{"value":2}' }),
        says("Both."),
      ],
      { tools: [tool("a"), tool("b", { run: () => Promise.reject(new Error("broken")) })] },
    ],
    ["an unknown tool", [calls({ name: "nobody", arguments: "{}" }), says("No such tool.")], {}],
    [
      "arguments that are not JSON",
      [calls({ name: "a", arguments: "{" }), says("Again.")],
      { tools: [tool("a")] },
    ],
    [
      "repaired arguments",
      [calls({ name: "a", arguments: '{"value":"1"}' }), says("Mended.")],
      { tools: [tool("a")] },
    ],
    [
      "an approved call",
      [calls({ name: "a", arguments: "{}" }), says("Done.")],
      {
        tools: [tool("a", { effect: "write", retry: "unsafe", preview: () => "exactly this" })],
        decide: async (toolCallId) => ({ runId: "run_1", toolCallId, decision: "once" }),
      },
    ],
    [
      "a call denied with a reason",
      [calls({ name: "a", arguments: "{}" }), says("Then not.")],
      {
        tools: [tool("a", { effect: "write", retry: "unsafe" })],
        decide: async (toolCallId) => ({
          ...{ runId: "run_1", toolCallId, argumentsHash: "", note: "not today" },
          decision: "deny",
        }),
      },
    ],
    [
      "progress and reasoning",
      [
        [{ type: "reasoning_delta", text: "**Look**\n- one\n" }, ...calls({ name: "a", arguments: "{}" })],
        says("Seen."),
      ],
      {
        tools: [
          tool("a", {
            run: (_, context) => {
              context.progress({ message: "half", percent: 50 });
              context.progress({ message: "", chunk: "line 1\n" });
              context.progress({ message: "", chunk: "line 2\n" });
              return "whole";
            },
          }),
        ],
      },
    ],
    [
      "a retried model request",
      [
        [{ type: "failure", failure: new Failure("RATE_LIMITED", "Slow down.", { retryAfter: 2 }) }],
        says("Now."),
      ],
      {},
    ],
    [
      "a failure",
      [[{ type: "failure", failure: new Failure("UPSTREAM_ERROR", "No.", { retryable: false }) }]],
      {},
    ],
    [
      "too many calls",
      [
        calls({ name: "a", arguments: "{}" }),
        calls({ id: "call_2", name: "a", arguments: "{}" }),
        says("Enough."),
      ],
      { tools: [tool("a")], limits: { maxToolCalls: 1 } },
    ],
  ])("replays without differences: %s", async (_, scripts, options) => {
    const played = await replayOf(await record({ scripts, options }));
    expect(played.differences).toEqual([]);
    expect(played.notes).toEqual([]);
    expect(played.runs).toBe(1);
  });

  it("replays a run that the person stopped, to the same end", async () => {
    const abort = new AbortController();
    const stopped: Script = async (emit) => {
      emit({ type: "text_delta", text: "Half an" });
      abort.abort();
      emit({ type: "failure", failure: new Failure("CANCELLED", "Stopped.", { retryable: false }) });
    };
    const file = await record({ scripts: [stopped], options: { signal: abort.signal } });
    const { end } = parseRecording(file).runs[0] ?? {};
    expect(end).toMatchObject({ status: "cancelled" });
    expect((await replayOf(file)).differences).toEqual([]);
  });

  describe("of a run that the person spoke to", () => {
    const sent = (messageId: string, text: string, ...attached: Part[]): RunInput => ({
      ...{ messageId, runId: "run_1", when: "now", state: "claimed", createdAt: "2026-01-01" },
      parts: [{ type: "text", text, messageId }, ...attached],
    });
    const file = { id: "file_1", name: "a.txt", mimeType: "text/plain", size: 3 };
    const attached: Part[] = [
      { type: "text", text: "abc", file, messageId: "msg_9" },
      { type: "image", mimeType: "image/png", data: "QUJDREVG", messageId: "msg_9" },
    ];

    /** The messages arrive before the model is asked the second time. */
    function spokenTo(...messages: RunInput[]) {
      const interruption = new AbortController();
      let taken = 0;
      const inputs: Turn["inputs"] = {
        take: async () => (++taken === 1 ? messages : []),
        interruption: () => (taken === 0 ? interruption.signal : new AbortController().signal),
      };
      return { interruption, options: { tools: [tool("a")], change: { inputs } } };
    }

    it("sends the message again where it took effect, with what was attached", async () => {
      const { options } = spokenTo(sent("msg_9", "Make it red.", ...attached), sent("msg_10", "And round."));
      const scripts = [calls({ name: "a", arguments: "{}" }), says("Red and round.")];
      const recorded = await record({ scripts, options });
      expect(recorded).not.toContain("QUJDREVG");
      const seen: ChatEvent[] = [];
      const played = await playRecording(parseRecording(recorded), { onEvent: (event) => seen.push(event) });
      expect(played).toMatchObject({ differences: [], notes: [], steps: 2 });
      expect(ofType(seen, "user_message").map(({ text }) => text)).toEqual(["Make it red.", "And round."]);
      const { model, requests } = scriptedModel([calls({ name: "a", arguments: "{}" }), says("Yes.")]);
      await playRecording(parseRecording(recorded), { model });
      expect(requests[1]?.messages.slice(-2)).toMatchObject([
        { id: "msg_9", role: "user", parts: [{ text: "Make it red." }, { text: "abc" }, {}] },
        { id: "msg_10", role: "user", parts: [{ text: "And round." }] },
      ]);
    });

    it("replays the turns after it", async () => {
      const parts: Part[] = [
        { type: "text", text: "One." },
        ...sent("msg_9", "And?", ...attached).parts,
        { type: "text", text: "\n\nTwo." },
      ];
      const history = [
        textMessage("msg_1", "user", "Count."),
        { id: "msg_2", role: "assistant" as const, parts },
        textMessage("msg_3", "user", "Go on."),
      ];
      const scripts = [calls({ name: "a", arguments: "{}" }), says("Three.")];
      const recorded = await record({ scripts, options: { tools: [tool("a")], change: { history } } });
      expect((await replayOf(recorded)).differences).toEqual([]);
      const told = parseRecording(recorded).runs[0]?.lines.filter(({ type }) => type === "request");
      expect(told).toMatchObject([{ messages: [] }, { messages: [{ role: "assistant" }] }]);
    });

    it("interrupts where the person did", async () => {
      const { interruption, options } = spokenTo(sent("msg_9", "Stop, the other file!"));
      const interrupted: Script = async (emit, signal) => {
        emit({ type: "text_delta", text: "I will now" });
        interruption.abort();
        signal.throwIfAborted();
      };
      const played = await replayOf(await record({ scripts: [interrupted, says("The other.")], options }));
      expect(played).toMatchObject({ differences: [], notes: [] });
    });

    it("says so if another model was done before a message took effect", async () => {
      const { options } = spokenTo(sent("msg_9", "Make it red."));
      const scripts = [calls({ name: "a", arguments: "{}" }), says("Red.")];
      const recorded = await record({ scripts, options: { ...options, limits: { maxIterations: 2 } } });
      const over = new Failure("UPSTREAM_ERROR", "No.", { retryable: false });
      const { model } = scriptedModel([[{ type: "failure", failure: over }]]);
      const { notes } = await playRecording(parseRecording(recorded), { model });
      expect(notes).toEqual(["“Make it red.” was not sent into the run, because it was over before."]);
    });
  });

  it("holds several runs, and a difference names its run", async () => {
    const file = await record({ scripts: [says("One.")] }, { scripts: [says("Two.")] });
    const other = file.replace(/("type":"event","run":2,.*?)Two\./, "$1Three.");
    const played = await replayOf(other);
    expect(played.runs).toBe(2);
    expect(played.differences).toEqual([{ run: 2, where: "text", recorded: "Three.", now: "Two." }]);
    expect(replayLines(played)).toEqual([
      "≠ run 2, text",
      "  - Three.",
      "  + Two.",
      "",
      "1 difference from the recording: 2 runs, 2 answers of the model, 0 calls.",
    ]);
  });

  it("holds no secrets, not even one that arrived in pieces, and still replays without differences", async () => {
    const scripts: Script[] = [
      [
        { type: "reasoning_delta", text: `think ${KEY.slice(0, 5)}` },
        { type: "reasoning_delta", text: KEY.slice(5) },
        ...calls({ name: "a", arguments: JSON.stringify({ text: KEY, password: "short" }) }),
      ],
      [
        { type: "text_delta", text: `It is ${KEY.slice(0, 9)}` },
        { type: "text_delta", text: `${KEY.slice(9)}, said` },
        { type: "finish", reason: "stop", parts: [{ type: "text", text: `It is ${KEY}, said` }] },
      ],
    ];
    const options: TurnOptions = {
      tools: [
        tool("a", {
          run: (_, context) => {
            context.progress({ message: "", chunk: KEY.slice(0, 12) });
            context.progress({ message: "", chunk: KEY.slice(12) });
            return `read ${KEY}`;
          },
        }),
      ],
      change: { system: `Use ${KEY}.`, history: [textMessage("msg_1", "user", `My key is ${KEY}`)] },
    };
    const file = await record({ scripts, options });
    for (const piece of [KEY, KEY.slice(5), KEY.slice(0, 12), KEY.slice(12), '"short"'])
      expect(file).not.toContain(piece);
    expect(file).toContain("My key is [key]");
    expect((await replayOf(file)).differences).toEqual([]);
  });

  it("holds no bytes of images, and still replays them", async () => {
    const image = { type: "image" as const, mimeType: "image/png", data: "QUJDREVG" };
    const scripts: Script[] = [[{ type: "finish", reason: "stop", parts: [image] }]];
    const asked = { id: "msg_1", role: "user" as const, parts: [image] };
    const file = await record({ scripts, options: { change: { history: [asked] } } });
    expect(file).not.toContain("QUJDREVG");
    expect((await replayOf(file)).differences).toEqual([]);
  });

  it("can be replayed with another model: calls get recorded results, and new calls are reported", async () => {
    const file = await record({
      scripts: [calls({ name: "a", arguments: '{"value":1,"text":"x"}' }), says("One.")],
      options: { tools: [tool("a")] },
    });
    const { model, requests } = scriptedModel([
      calls(
        { id: "other_1", name: "a", arguments: '{"text":"x", "value":1}' },
        { id: "o_2", name: "a", arguments: "{}" },
      ),
      says("Two."),
    ]);
    const played = await playRecording(parseRecording(file), { model });
    expect(played.differences).toEqual([
      { run: 1, where: "step 1, call 2", recorded: "nothing", now: "a {}" },
      { run: 1, where: "step 2, text", recorded: "One.", now: "Two." },
    ]);
    expect(played.notes).toEqual(["a {} is not in the recording, and was not run."]);
    const results = requests[1]?.messages.at(-1)?.parts.filter(({ type }) => type === "tool_result");
    expect(results).toMatchObject([
      { toolCallId: "other_1", success: true, output: '{"value":1,"text":"x"}' },
      { toolCallId: "o_2", success: false, output: expect.stringContaining("not in the recording") },
    ]);
  });

  it("can run the recorded calls again, and shows different results", async () => {
    const file = await record({
      scripts: [calls({ name: "a", arguments: '{"value":1}' }), says("One.")],
      options: { tools: [tool("a")] },
    });
    const again = async (_: string, args: unknown) => ({ output: `now ${JSON.stringify(args)}` });
    const played = await playRecording(parseRecording(file), { runTool: again });
    expect(played.differences).toEqual([
      { run: 1, where: "result of a, output", recorded: '{"value":1}', now: 'now {"value":1}' },
    ]);
  });

  it("is replayed at its original speed only on request", async () => {
    const file = await record({ scripts: [says("Slow.")] });
    const slow = file.replace(/"type":"chunk","run":1,"ms":\d+/g, '"type":"chunk","run":1,"ms":60000');
    const began = performance.now();
    await replayOf(slow);
    expect(performance.now() - began).toBeLessThan(30_000);
    const timed = performance.now();
    await playRecording(parseRecording(slow), { speed: 1_000 });
    expect(performance.now() - timed).toBeGreaterThan(55);
  });

  it("is refused with one sentence if the file is invalid", async () => {
    const file = await record({ scripts: [says("Hello.")] });
    const lines = file.split("\n");
    const cases: [string, string][] = [
      ["", "is not a recording of tackle"],
      ['{"hello":1}\n', "is not a recording of tackle"],
      [
        file.replace('"version":1', '"version":2'),
        "was written by a newer tackle (format 2, this one reads up to 1)",
      ],
      [file.slice(0, -40), "is cut off in the middle of run 1"],
      [`${lines.slice(0, 4).join("\n")}\n`, "is cut off in the middle of run 1"],
      [`${lines[0]}\n`, "holds no run"],
      [file.replace('"run":1,"ms"', '"run":7,"ms"'), "speaks in line 3 of run 7, which has not begun"],
      [file.replace('{"type":"request"', '{"type":"wish"'), "is damaged: line 3, type"],
      [file.replace('{"type":"request"', '{{"type":"request"'), "is damaged: line 3 is not JSON"],
      [file.replace('"text":"Hello."', '"text":7'), "is damaged: line 4, event"],
      [`${file}${lines[2]}\n`, "which has ended"],
    ];
    for (const [text, sentence] of cases) {
      const thrown = attempt(() => parseRecording(text));
      expect(thrown).toMatchObject({
        code: "INVALID_INPUT",
        publicMessage: expect.stringContaining(sentence),
      });
      expect((thrown as Failure).publicMessage).not.toContain("\n");
    }
  });
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}
