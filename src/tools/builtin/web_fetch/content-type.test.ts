import { expect, test } from "vitest";
import { cpuTime } from "../../../protocol/testing/cpu-time.ts";
import { decodeText, kindByBody } from "./content-type.ts";
import { headingsOf } from "./sections.ts";

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );

test.each([
  ["the header", "text/html; charset=ISO-8859-1", bytes("caf\xe9")],
  ["a quoted header value", 'text/html; Charset="windows-1252"', bytes("caf\xe9")],
  [
    "the header, which overrides the page",
    "text/html; charset=utf-8",
    Buffer.from('<meta charset="latin1">café'),
  ],
  ["a byte order mark, which overrides the header", "text/html; charset=latin1", Buffer.from("\ufeffcafé")],
  ["a UTF-16 byte order mark", "text/plain", Buffer.from("\ufeffcafé", "utf16le")],
  ["the page itself", "text/html", bytes('<meta charset="iso-8859-15">caf\xe9')],
  [
    "the page itself, with http-equiv",
    "text/html",
    bytes('<meta http-equiv=x content="text/html; charset=latin1">caf\xe9'),
  ],
  ["an XML declaration", "text/xml", bytes('<?xml version="1.0" encoding="ISO-8859-1"?>caf\xe9')],
  ["default, as UTF-8", "text/html", Buffer.from("café")],
  ["default, as windows-1252", "text/html", bytes("caf\xe9")],
  ["an unknown name, as UTF-8", "text/html; charset=klingon", Buffer.from("café")],
])("text is decoded by %s", (_, contentType, body) => {
  expect(decodeText(contentType, body)).toContain("café");
});

test("decodes other scripts too", () => {
  expect(decodeText("text/html; charset=Shift_JIS", bytes([0x93, 0xfa, 0x96, 0x7b]))).toBe("日本");
  expect(decodeText("text/html; charset=koi8-r", bytes([0xcd, 0xc9, 0xd2]))).toBe("мир");
  expect(decodeText("text/html; charset=gb2312", bytes([0xc4, 0xe3]))).toBe("你");
});

test.each([
  ["html", "text/html", "<p>x"],
  ["html", "", "\n<!-- a --><!DOCTYPE html><p>x"],
  ["html", "application/octet-stream", "<html>"],
  ["html", "application/xhtml+xml", "<html/>"],
  ["text", "application/json", "{}"],
  ["text", "application/vnd.api+json; charset=utf-8", "{}"],
  ["text", "application/rss+xml", "<rss/>"],
  ["text", "text/markdown", "# a"],
  ["text", "", "plain words"],
  ["pdf", "application/pdf", "%PDF-1.7"],
  ["pdf", "text/html", "%PDF-1.7"],
  ["binary", "image/png", "\x89PNG"],
  ["binary", "text/html", "GIF89a\0\0\0"],
  ["binary", "application/octet-stream", "PK\x03\x04"],
  ["binary", "application/zip", "PK\x03\x04"],
  ["binary", "application/pdf", "not a pdf"],
])("is %s if the header says %j and the body begins with %j", (kind, contentType, body) => {
  expect(kindByBody(contentType, bytes(body))).toBe(kind);
});

test("a body of nothing but comments, or of returns, is read once", () => {
  expect(cpuTime(() => kindByBody("", bytes(`${"<!---->".repeat(100)}x`)))).toBeLessThan(200);
  expect(cpuTime(() => headingsOf("\r".repeat(60_000)))).toBeLessThan(200);
});
