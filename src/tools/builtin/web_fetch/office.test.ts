import { describe, expect, it } from "vitest";
import { officeType } from "../../../protocol/file-type.ts";
import { convertPage } from "./convert.ts";
import { zipOf } from "./testing/zip.ts";

/** Reads a document as the server does: in a thread, by the type that its name and bytes give it. */
async function read(name: string, files: Record<string, string | Buffer>): Promise<string | undefined> {
  const body = zipOf(files);
  const contentType = officeType(body, name) ?? "";
  return (await convertPage({ url: "", contentType, body }, AbortSignal.timeout(10_000)))?.text;
}

const word = (body: string, before = "") => ({
  "word/document.xml": `<?xml version="1.0"?>${before}<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
});
const p = (text: string, style = "") =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

describe("Office documents", () => {
  it("of Word give headings, paragraphs and tables, without what was deleted", async () => {
    const cell = (text: string) => `<w:tc>${p(text)}</w:tc>`;
    const body = `${p("Prices", "Heading2")}${p("Desks &amp; chairs")}<w:p><w:del><w:r><w:t>old</w:t></w:r></w:del></w:p><w:tbl><w:tr>${cell("Desk")}${cell("1,340")}</w:tr></w:tbl>`;
    expect(await read("offer.docx", word(body))).toBe("## Prices\n\nDesks & chairs\n\nDesk | 1,340");
  });

  it("of OpenDocument give headings and paragraphs", async () => {
    const xml = `<office:text><text:h text:outline-level="1">Plan</text:h><text:p>Two<text:s/><text:span>rooms</text:span></text:p></office:text>`;
    expect(await read("plan.odt", { mimetype: "x", "content.xml": xml })).toBe("# Plan\n\nTwo rooms");
  });

  it("of PowerPoint give slides in their order", async () => {
    const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
    const files = { "ppt/slides/slide10.xml": slide("Last"), "ppt/slides/slide2.xml": slide("First") };
    expect(await read("talk.PPTX", files)).toBe("[Slide 1]\n\nFirst\n\n[Slide 2]\n\nLast");
  });

  it("of Excel give sheets with the numbers of their rows", async () => {
    const files = {
      "xl/workbook.xml": `<workbook><sheets><sheet name="Budget" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": `<R><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></R>`,
      "xl/sharedStrings.xml": "<sst><si><t>Desk</t></si><si><r><t>Ch</t></r><r><t>air</t></r></si></sst>",
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c t="s"><v>0</v></c><c><v>1340</v></c></row><row r="7"><c t="s"><v>1</v></c><c t="inlineStr"><is><t>new</t></is></c></row></sheetData></worksheet>`,
    };
    expect(await read("budget.xlsx", files)).toBe("[Sheet “Budget”]\n\n1 | Desk | 1340\n7 | Chair | new");
  });

  it("are refused if they unpack to too much, are damaged, or are something else", async () => {
    await expect(read("bomb.docx", word(" ".repeat(80 * 1024 * 1024)))).rejects.toThrow(
      /damaged or too large/,
    );
    await expect(read("empty.docx", { "a.txt": "hello" })).rejects.toThrow(/damaged or too large/);
    expect(officeType(Buffer.from("MZ"), "a.docx")).toBeUndefined();
    expect(officeType(zipOf({ a: "b" }), "a.zip")).toBeUndefined();
  });

  it("cannot expand entities of their own", async () => {
    const bomb = `<!DOCTYPE d [<!ENTITY a "boom"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const text = await read("a.docx", word(p("&b;&x;end"), bomb));
    expect(text).toContain("end");
    expect(text).not.toMatch(/boom|root:/);
  });
});
