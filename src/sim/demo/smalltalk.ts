import { sumIn } from "./arithmetic.ts";
import type { Conversation, OfferedTool } from "./conversation.ts";
import { rememberedIn } from "./memory.ts";
import { builtInName, plainName } from "./offered.ts";

const CONNECT =
  "To connect a real model, add a key in the web app under **Settings, Models and keys**. Or set one such as `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` or `GEMINI_API_KEY` and restart; `tackle doctor` shows what is set up.";

/** An example for each built-in tool. */
const EXAMPLES: Record<string, string> = {
  get_time: "*What time is it in Tokyo, Paris and New York?*",
  filesystem: "*List the files here*, or *read README.md*",
  execute_command: "*Run `ls -la`*",
  generate_artifact: "*Make a counter in React*, or *draw a diagram of how you work*",
  generate_image: "*Paint an image of a lighthouse at dusk*",
  "browser.search": "*Search for the tallest lighthouse*",
  todo: "*Work through these steps: get the time in Tokyo, list the files, run `date`*",
  ask_user: "*Ask me which color I like: red, green or blue*",
  delegate: "*Delegate: get the time in Tokyo; list the files here*",
  remember: "*Remember that I like short answers*",
  search_files: "*Search the files for a word*",
  web_fetch: "*Fetch https://example.com*",
};

/** Tools that only follow up on another call, so they are no good examples. */
const FOLLOWING = new Set(["command_output", "read_result", "stop_command"]);

interface Reply {
  when(message: string, conversation: Conversation): boolean;
  say(message: string, conversation: Conversation): string;
}

const matches = (pattern: RegExp) => (message: string) => pattern.test(message);

/** Returns the number to count to. */
function countTo(message: string): number | undefined {
  const asked = /^(?:please )?count (?:\w+ )?(?:from (?:1|one) )?(?:up )?to (\d{1,4})\b/i.exec(
    message.trim(),
  );
  return asked ? Math.min(Number(asked[1]), 2_000) : undefined;
}

/** In the order in which they are tried. */
const REPLIES: readonly Reply[] = [
  {
    when: (_, { now }) => now.hasImage,
    say: () => `I can't see images: I am the offline demo model. ${CONNECT}`,
  },
  {
    when: matches(/\bwhat do you (?:remember|know)\b[^.!]{0,20}\b(?:about )?me\b|\bwhat do you remember\b/i),
    say: (_, conversation) => {
      const lines = rememberedIn(conversation);
      if (lines.length > 0) return `This is what I remember about you:\n\n${lines.join("\n")}`;
      return "I don't remember anything about you yet. Say *remember that …*, and I will.";
    },
  },
  { when: (message) => message === "", say: () => "I did not get a message. What would you like to do?" },
  {
    when: matches(
      /^(?:hi|hello|hey|hiya|howdy|good (?:morning|afternoon|evening|day)|greetings|hallo|bonjour|hola|yo)\b[\s\w,]{0,20}[.!?]*$/i,
    ),
    say: (_, { tools }) =>
      `Hello! I am the **offline demo model**: no key and no network needed, so that you can try everything at once.\n\nTry one of these:\n\n${examples(tools, 4)}\n\n${CONNECT}`,
  },
  {
    when: matches(
      /\bhelp\b|\bwhat (?:can|do) (?:you|i) do\b|\bwhat are you able\b|\bhow (?:do|can) i (?:use|start)\b|\bwhat tools\b|\bwhich tools\b|\blist (?:the |your )?tools\b|^\/?(?:help|\?)$/i,
    ),
    say: (_, { tools }) =>
      `I am the **offline demo model**. I understand simple requests and use the real tools for them:\n\n${examples(tools, 20)}\n\nAsk for several at once, and they run side by side. ${CONNECT}`,
  },
  {
    when: matches(
      /\bwho are you\b|\bwhat are you\b|\bwhat(?:'s| is) your name\b|\bwhich model\b|\bare you (?:a |an )?(?:real|human|bot|ai|chatgpt|gpt|claude)\b/i,
    ),
    say: () =>
      `I am the demo model of **Tackle**: a small program that follows rules, not a language model. The tools I call are the real ones. ${CONNECT}`,
  },
  {
    when: matches(
      /\b(?:api key|real model|connect|configure|set ?up|another model|switch (?:the )?model)\b/i,
    ),
    say: () =>
      `${CONNECT}\n\nFor example:\n\n\`\`\`sh\nexport OPENAI_API_KEY=…\nnpm start\n\`\`\`\n\nThe best model that is configured is then used; \`TACKLE_MODEL=provider/model\` names one.`,
  },
  {
    when: matches(/^(?:many )?(?:thanks|thank you|thx|cheers|great|nice|perfect|awesome|cool|well done)\b/i),
    say: () => "You're welcome! Anything else?",
  },
  {
    when: matches(/^(?:bye|goodbye|see you|good night)\b/i),
    say: () => "Goodbye! The conversation is kept; come back to it whenever you like.",
  },
  {
    when: matches(/^how are you\b|^how(?:'s| is) it going\b/i),
    say: () => "Well, thank you: all sockets are open. What shall we do?",
  },
  {
    // Takes a while, so that there is something to watch, to stop and to interrupt.
    when: (message) => countTo(message) !== undefined,
    say: (message) => Array.from({ length: countTo(message) ?? 0 }, (_, index) => index + 1).join(", "),
  },
  {
    when: (message) => sumIn(message) !== undefined,
    say: (message) => {
      const { sum, value } = sumIn(message) ?? { sum: message, value: Number.NaN };
      return `${sum} = **${value.toLocaleString("en", { maximumFractionDigits: 10 })}**`;
    },
  },
  {
    when: matches(/^(?:please\s+)?(?:continue|go on|more|keep going|carry on|next)[.!?]*$/i),
    say: (_, { earlier, tools }) =>
      earlier.some(({ answer }) => answer !== "")
        ? "That was all I had to say about it. Ask me to go further in a direction of your choice."
        : `There is nothing to continue yet. You could begin with:\n\n${examples(tools, 3)}`,
  },
  {
    when: matches(/\b(?:haiku|poem|verse)\b/i),
    say: () =>
      "A question goes out\\\nthrough small doors, and each brings back\\\none true thing. Then words.",
  },
  {
    when: matches(/\bjoke\b/i),
    say: () => "A tool walks into a loop. The loop asks: *again?*",
  },
];

/** Answers with text only. */
export function smallTalk(conversation: Conversation): string {
  const message = conversation.now.question;
  const reply = REPLIES.find(({ when }) => when(message, conversation));
  if (reply) return reply.say(message, conversation);
  const start = Array.from(message.replace(/\s+/g, " ")).slice(0, 80).join("");
  const quoted = start.length < message.length ? `${start}…` : start;
  return `You wrote: “${quoted}”\n\nThat takes a real language model; I am the **offline demo model** and only follow simple requests, such as:\n\n${examples(conversation.tools, 4)}\n\n${CONNECT}`;
}

function examples(tools: readonly OfferedTool[], most: number): string {
  const known = Object.entries(EXAMPLES).filter(([name]) =>
    tools.some((tool) => builtInName(tool.name) === name),
  );
  const others = tools.filter((tool) => !builtInName(tool.name) && !FOLLOWING.has(plainName(tool.name)));
  const lines = [
    ...known.map(([, example]) => `- ${example}`),
    ...others.map(
      (tool) => `- *Use ${tool.name}*${tool.description ? `: ${firstLine(tool.description)}` : ""}`,
    ),
    "- *What is 12 * (3 + 4)?*",
  ];
  return lines.slice(0, most).join("\n");
}

function firstLine(text: string): string {
  const line = text.split(/\n|(?<=[.!?])\s/)[0] ?? "";
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
