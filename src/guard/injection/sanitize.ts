/** Characters that no reader sees. */
const INVISIBLE = String.raw`[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

/** Scripts whose words need joiners, and whose lines need direction marks. */
const JOINED = scripts(
  "Arabic Syriac Mandaic Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan",
);
const RIGHT_TO_LEFT = scripts("Hebrew Arabic Syriac Thaana Nko");

/** Invisible characters that change what a reader sees: in emoji, in scripts that need them, in variants of ideographs. */
const NEEDED = [
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`,
  String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{EMod}?(?:\u200d\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{EMod}?)*`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  String.raw`(?<=[${JOINED}])[\u200c\u200d\u180b-\u180e]`,
  String.raw`(?<=[${RIGHT_TO_LEFT}]\P{L}{0,3})[\u200e\u200f\u061c]|[\u200e\u200f\u061c](?=\P{L}{0,3}[${RIGHT_TO_LEFT}])`,
  String.raw`(?<=\p{Script=Han})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
].join("|");
const HIDDEN = new RegExp(`(${NEEDED})|${INVISIBLE}`, "gu");

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Tokens by which models tell who is speaking. Components such as `<User>` are not among them. */
const CONTROL_TOKENS = new RegExp(
  [
    String.raw`<[|\uff5c][\w.\u2581-]{1,40}[|\uff5c]>`,
    String.raw`<\/?(?:start|end)_of_turn>`,
    String.raw`\[\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK)\]`,
    String.raw`<<\/?SYS>>`,
    String.raw`<\/?(?:${roleTags()})\b[^<>\n]{0,100}>`,
    String.raw`^[ \t>#*-]{0,8}(?:${roleNames()})[ \t]{0,3}:(?=\s)`,
  ].join("|"),
  "gm",
);

/** A model can read and repeat the replacements, and none of them is part of a control token. */
const STAND_INS = new Map([
  ["<", "⟨"],
  [">", "⟩"],
  ["[", "⟦"],
  ["]", "⟧"],
  [":", "꞉"],
]);

/**
 * Makes the texts of one question safe to hand to another model: removes hidden characters and replaces the signs of control
 * tokens. `restore` puts them back in the answer, so code that contains such tokens survives a revision.
 */
export function createSanitizer(): { clean(text: string): string; restore(text: string): string } {
  const replaced = new Map<string, string>();
  const ownSigns = new Set<string>();
  return {
    clean(text) {
      for (const [sign] of text.matchAll(/[⟨⟩⟦⟧꞉]/g)) ownSigns.add(sign);
      return withoutHidden(text)
        .replace(CONTROLS, "")
        .replace(CONTROL_TOKENS, (token) =>
          token.replace(/[<>[\]]|:$/g, (sign) => {
            const standIn = STAND_INS.get(sign) ?? sign;
            replaced.set(standIn, sign);
            return standIn;
          }),
        );
    },
    restore(text) {
      if (replaced.size === 0) return text;
      return text.replace(/[⟨⟩⟦⟧꞉]/g, (sign) => (ownSigns.has(sign) ? sign : (replaced.get(sign) ?? sign)));
    },
  };
}

/** Removes hidden characters, except where a reader would miss them. */
function withoutHidden(text: string): string {
  return text.toWellFormed().replace(HIDDEN, (_, needed: string | undefined) => needed ?? "");
}

function scripts(names: string): string {
  return names
    .split(" ")
    .map((name) => `\\p{Script=${name}}`)
    .join("");
}

function roleTags(): string {
  const names =
    "system assistant user human developer tool instruction instructions tool_call tool_result tool_response function_call function_calls function_result function_results invoke";
  const cased = names.split(" ").flatMap((name) => [name, name.toUpperCase()]);
  return [...cased, "antml:[a-z_]{1,20}"].join("|");
}

function roleNames(): string {
  return ["System", "Assistant", "User", "Human", "Developer"]
    .flatMap((name) => [name, name.toUpperCase()])
    .join("|");
}
