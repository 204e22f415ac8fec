import type { ParseXml } from "./office.ts";

/** Reads the sheets of a workbook: each row on a line that begins with its number. */
export function readSheets(partOf: (name: string) => string, parse: ParseXml): string {
  const strings = sharedStrings(partOf, parse);
  const targets = new Map<string, string>();
  const sheets: { name: string; id: string }[] = [];
  parse(partOf("xl/_rels/workbook.xml.rels"), {
    open: (_, { Id = "", Target = "" }) => targets.set(Id, Target),
    text() {},
    close() {},
  });
  parse(partOf("xl/workbook.xml"), {
    open(tag, { name = "", "r:id": id = "" }) {
      if (tag === "sheet") sheets.push({ name: name.replace(/\s+/g, " ").slice(0, 100), id });
    },
    text() {},
    close() {},
  });
  return sheets
    .flatMap(({ name, id }) => {
      const target = targets.get(id);
      // A chart has its own sheet, without cells.
      if (!target?.includes("worksheets/")) return [];
      const path = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
      return [`[Sheet “${name}”]\n\n${rowsOf(partOf(path), strings, parse).join("\n")}`];
    })
    .join("\n\n");
}

/** Counts the rows of a sheet in which a cell holds something. */
export function filledRows(xml: string, parse: ParseXml): number {
  let [rows, isValue, isFilled] = [0, false, false];
  parse(xml, {
    open(name) {
      if (name === "row") isFilled = false;
      isValue = name === "v" || name === "t";
    },
    text(text) {
      if (isValue && text.trim() !== "") isFilled = true;
    },
    close(name) {
      isValue = false;
      if (name === "row" && isFilled) rows += 1;
    },
  });
  return rows;
}

/** Texts that cells refer to by their number. A workbook without texts has none. */
function sharedStrings(partOf: (name: string) => string, parse: ParseXml): string[] {
  const strings: string[] = [];
  let [words, isText, isReading] = ["", false, false];
  let xml: string;
  try {
    xml = partOf("xl/sharedStrings.xml");
  } catch {
    return []; // Cells that need one are left empty.
  }
  parse(xml, {
    open(name) {
      if (name === "si") words = "";
      if (name === "rPh") isReading = true; // How Japanese is spoken.
      isText = name === "t" && !isReading;
    },
    text(text) {
      if (isText) words += text;
    },
    close(name) {
      isText = false;
      if (name === "rPh") isReading = false;
      if (name === "si") strings.push(words);
    },
  });
  return strings;
}

function rowsOf(xml: string, strings: readonly string[], parse: ParseXml): string[] {
  const rows: string[] = [];
  let cells: string[] = [];
  let [row, kind, words, isValue] = [0, "", "", false];
  parse(xml, {
    open(name, { r, t = "" }) {
      if (name === "row") [cells, row] = [[], Number(r) || row + 1];
      if (name === "c") [kind, words] = [t, ""];
      isValue = name === "v" || name === "t";
    },
    text(text) {
      if (isValue) words += text;
    },
    close(name) {
      isValue = false;
      if (name === "c") {
        const value = kind === "s" ? strings[Number(words)] : kind === "b" ? String(words === "1") : words;
        cells.push((value ?? "").replace(/\s+/g, " ").trim());
      }
      if (name === "row" && cells.some((cell) => cell !== "")) rows.push(`${row} | ${cells.join(" | ")}`);
    },
  });
  return rows;
}
