import { describe, expect, test } from "vitest";
import { isImageType, sniffHead, textType } from "./file-type.ts";

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

test.each([
  ["image/png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"],
  ["image/jpeg", "\xff\xd8\xff\xe0\0\x10JFIF"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF\x10\0\0\0WEBPVP8 "],
  ["image/avif", "\0\0\0\x20ftypavif"],
  ["video/mp4", "\0\0\0\x20ftypisom"],
  ["audio/wav", "RIFF\x10\0\0\0WAVE"],
  ["application/pdf", "%PDF-1.7"],
  ["video/webm", "\x1a\x45\xdf\xa3"],
])("%s is recognized by its first bytes", (type, head) => {
  expect(sniffHead(bytes(head))).toBe(type);
  expect(isImageType(sniffHead(bytes(head)))).toBe(type.startsWith("image/"));
});

test.each([
  ["<svg xmlns='http://www.w3.org/2000/svg'>"],
  ["PNG"],
  ["\x89PNG\n"],
  ["RIFF\x10\0\0\0XXXX"],
  ["\0\0\0\x20ftypheic"],
  ["  %PDF-1.7"],
  [""],
])("%j has no trusted signature", (head) => {
  expect(sniffHead(bytes(head))).toBeUndefined();
});

describe("a text", () => {
  test.each([
    ["image/svg+xml", "<svg/>", undefined],
    [
      "image/svg+xml",
      "\ufeff \n<?xml version='1.0'?><!-- a --><!DOCTYPE svg PUBLIC 'x'>\n<svg >",
      "text/plain",
    ],
    ["image/svg+xml", "<svg:svg xmlns:svg='http://www.w3.org/2000/svg'>", "text/plain"],
    ["image/svg+xml", "nothing of the kind", "image/svg+xml; charset=utf-8"],
    ["text/html", "<!doctype html><p>", "text/plain"],
    ["text/html", "\n\n<HTML>", "image/png"],
    ["text/html", "<script>alert(1)</script>", "text/plain"],
    ["text/html", "<img src=x onerror=alert(1)>", "text/markdown"],
    ["text/html", "no markup", "text/html"],
    ["text/plain", "a < b and c > d", undefined],
    ["text/plain", "hello", "image/png"],
    ["text/plain", "hello", "application/octet-stream"],
    ["text/plain", "hello", "x; rm -rf"],
    ["text/markdown", "# Notes\n<html> is a tag", "text/markdown; charset=utf-8"],
    ["application/json", "{}", "application/json"],
    ["text/csv", "a,b", "text/csv"],
  ])("is %s: %j declared as %s", (type, text, declared) => {
    expect(textType(new TextEncoder().encode(text), declared)).toBe(type);
  });
});
