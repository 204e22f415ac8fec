import { describe, expect, it } from "vitest";
import { ReasoningSteps, type StepNews } from "./reasoning-steps.ts";

const PROSE = `Okay, the user wants to compare two sorting algorithms, so I should explain both of them. Quicksort is O(n log n) on average, e.g. for random input. Merge sort is stable. However, quicksort uses less memory.

Let me check what the tools say about the time in Tokyo. Is there a tool for it? Yes.
- get_time takes a time zone

Hmm. Wait, the person asked for a table. I'll write a short one: name, average, worst case.

\`\`\`js
const ignored = 1; // This is a comment. It is code.
\`\`\`
Finally, I answer in two sentences.`;

function newsOf(text: string, size = text.length): StepNews[] {
  const found = new ReasoningSteps();
  const news: StepNews[] = [];
  for (let at = 0; at < text.length; at += size) news.push(...found.push(text.slice(at, at + size)));
  return [...news, ...found.end()];
}

const stepsIn = (text: string) => newsOf(text).flatMap((one) => (one.type === "closed" ? [one.step] : []));

describe("steps of prose", () => {
  it("begin with a paragraph or a turn, with a short title, a phase and the sentences that follow", () => {
    expect(stepsIn(PROSE)).toEqual([
      {
        phase: "analysis",
        title: "The user wants to compare two sorting algorithms",
        items: ["Quicksort is O(n log n) on average, e.g. for random input", "Merge sort is stable"],
      },
      { phase: "analysis", title: "However, quicksort uses less memory", items: [] },
      {
        phase: "research",
        title: "Let me check what the tools say about the time in Tokyo",
        items: ["Is there a tool for it?", "get_time takes a time zone"],
      },
      {
        phase: "analysis",
        title: "The person asked for a table",
        items: ["I'll write a short one: name, average, worst case"],
      },
      { phase: "solution", title: "Finally, I answer in two sentences", items: [] },
    ]);
  });

  it.each([1, 2, 3, 7, 64, 1_000])("are the same in deltas of %i characters", (size) => {
    expect(newsOf(PROSE, size)).toEqual(newsOf(PROSE));
  });

  it("are announced once each, when their title is known", () => {
    const found = new ReasoningSteps();
    expect(found.push("The person wants a table of the rivers. ")).toEqual([
      { type: "opened", title: "The person wants a table of the rivers", phase: "analyzing" },
    ]);
    expect(found.push("It has two columns. They are long and narrow. ")).toEqual([]);
    expect(found.push("Next, I write it down. ").map(({ type }) => type)).toEqual(["closed", "opened"]);
  });

  it("exist in other languages", () => {
    expect(
      stepsIn("Der Nutzer möchte das Wetter wissen. Es geht um Berlin im Mai. Dann frage ich das Werkzeug."),
    ).toMatchObject([
      { title: "Der Nutzer möchte das Wetter wissen" },
      { title: "Dann frage ich das Werkzeug" },
    ]);
    expect(stepsIn("用户想要比较两种算法。首先解释快速排序。最后给出一个表格。")).toMatchObject([
      { title: "用户想要比较两种算法", items: ["首先解释快速排序"] },
      { title: "最后给出一个表格" },
    ]);
  });

  it("below a heading are its items, and after a numbered point their own step", () => {
    expect(
      stepsIn(
        "**Checking the time**\nI look at the clock.\n\nIt shows ten past nine.\n\n1. Write it\n\nThen the rest is easy to say.",
      ),
    ).toMatchObject([
      { title: "Checking the time", items: ["I look at the clock", "It shows ten past nine"] },
      { title: "Write it", items: [] },
      { title: "Then the rest is easy to say" },
    ]);
  });

  it("have titles of at most 60 characters, cut at a clause or a word", () => {
    const words =
      "Considering everything that was said about the rivers of northern Europe since the last war";
    const [long, clause] = stepsIn(
      `${words}.\n\nThe rivers of northern Europe are wide, slow, cold and full of ships that carry coal.`,
    );
    expect(long?.title).toBe("Considering everything that was said about the rivers of…");
    expect(clause?.title).toBe("The rivers of northern Europe are wide, slow");
  });

  it("reach to the end of long reasoning, which takes linear time", () => {
    const long = Array.from({ length: 400 }, (_, at) => `Paragraph number ${at} says something. It goes on.`);
    const steps = stepsIn(long.join("\n\n"));
    expect(steps.length).toBeGreaterThan(30);
    expect(steps.length).toBeLessThanOrEqual(50);
    expect(Number(steps.at(-1)?.title.replace(/\D/g, ""))).toBeGreaterThan(250);
    const timeOf = (text: string) => {
      const before = performance.now();
      newsOf(text, 4);
      return performance.now() - before;
    };
    timeOf("word ".repeat(20_000));
    expect(timeOf("word ".repeat(80_000))).toBeLessThan(1_000);
  });
});
