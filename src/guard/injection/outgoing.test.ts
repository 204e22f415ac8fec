import { describe, expect, it } from "vitest";
import { scanOutgoing } from "./outgoing.ts";

const reasonFor = (text: string) => scanOutgoing(text).reason;
const data = "an address carries what looks like data";
const host = "a host name carries what looks like data";
const image = "an image's address carries what looks like data";
/** Changes between letters and digits in every place. */
const mixed = (length: number) => "g1".repeat(length).slice(0, length);

const DROP_HOSTS =
  `webhook.site requestbin.com requestbin.net pipedream.net beeceptor.com hookbin.com requestcatcher.com postb.in
  ngrok.io ngrok.app ngrok-free.app ngrok-free.dev trycloudflare.com loca.lt serveo.net burpcollaborator.net oastify.com oast.fun
  oast.live oast.me oast.online oast.pro oast.site interact.sh interactsh.com dnslog.cn ceye.io canarytokens.com canarytokens.org
  pastebin.com paste.ee hastebin.com dpaste.com dpaste.org ghostbin.com termbin.com 0x0.st transfer.sh file.io ix.io rentry.co
  bin.sh webhook.cool typedwebhook.tools mockbin.org mockbin.io hooks.zapier.com`.split(/\s+/);

it("every place where anybody can collect data is known, also under a name below it", () => {
  const found = DROP_HOSTS.filter((name) =>
    reasonFor(`https://a.${name}/x`).startsWith(`a.${name} is a place`),
  );
  expect(found).toEqual(DROP_HOSTS);
});

describe("an address that could carry data out", () => {
  it.each([
    ["https://u@a.example/", "an address carries a name or password"],
    ["https://:p@a.example/", "an address carries a name or password"],
    ["https://webhook.site/x", "webhook.site is a place where data can be left for anybody to collect"],
    ["https://a.ngrok.io/", "a.ngrok.io is a place where data can be left for anybody to collect"],
    ["see (https://paste.ee/x).", "paste.ee is a place where data can be left for anybody to collect"],
    [`https://${mixed(21)}.a.example/`, host],
    [`https://${"a".repeat(41)}.example/`, host],
    [`https://a.example/?q=${mixed(24)}`, data],
    [`https://a.example/#${mixed(24)}`, data],
    [`https://a.example/?q=${"-".repeat(301)}`, data],
    [`https://a.example/${mixed(48)}/x`, data],
    [`https://a.example/${"-".repeat(201)}/x`, data],
    [`![a](https://a.example/?n=${"-".repeat(41)})`, image],
    [`![a](<https://a.example/?n=${"-".repeat(41)})`, image],
    [`<img width=1 src='https://a.example/?n=${"-".repeat(41)}'>`, image],
    ["https://q7f3k2m9x1b8v5n4z6c0w2.evil.example/", host],
    ["<img alt=x src=https://a.example/p.png?n=one-two-three-four-five-six-seven-eight-nine>", image],
    [`https://a.example/?q=${Buffer.from("a sentence in hexadecimal digits").toString("hex")}`, data],
    ["data:text/html;base64,AAAA", "it holds data inside an address (data:)"],
    ["data:image/svg+xml,x", "it holds data inside an address (data:)"],
    [`wss://a.example/?q=${mixed(24)}`, data],
    [`ftp://a.example/?q=${mixed(24)}`, data],
    [`http://a.example/?q=${mixed(24)}`, data],
    [`ws://a.example/?q=${mixed(24)}`, data],
  ])("%s", (text, reason) => expect(reasonFor(text)).toBe(reason));

  it.each([
    "https://webhook.site.example/",
    "https://mywebhook.site/",
    `https://${mixed(20)}.a.example/`,
    `https://${"a".repeat(40)}.example/`,
    `https://a.example/?q=${mixed(23)}`,
    `https://a.example/?q=${"-".repeat(300)}`,
    `https://a.example/${mixed(47)}/x`,
    `https://a.example/${"-".repeat(200)}/x`,
    `![a](https://a.example/?n=${"-".repeat(40)})`,
    `[a](https://a.example/?n=${"-".repeat(41)})`,
    "data:nothing",
    `mailto:${mixed(24)}`,
    "https://[broken/",
    "https://a.example/?id=123e4567-e89b-12d3-a456-426614174000",
    "https://a.example/?id=a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d",
    `https://a.example/?q=${"aaaa1".repeat(6)}`,
    `https://a.example/?q=${"=".repeat(24)}`,
    "https://a.example/docs/getting-started?page=2#install",
    "https://a.example/blob/3f786850e387550fdab836ed7e6dc881de23001b8f3e1a2b",
    `https://a.example/commit/${"0123456789abcdef".repeat(3).slice(0, 40)}`,
    `See ![logo](https://a.example/logo.png) and https://a.example/?q=${"word-".repeat(9)}`,
  ])("and none that could not: %s", (text) =>
    expect(scanOutgoing(text)).toEqual({ suspicious: false, urls: [], reason: "" }),
  );

  it("is listed with all reasons, cut to 500 characters, without the signs behind it", () => {
    const long = `https://u@a.example/${"-".repeat(600)}`;
    expect(scanOutgoing(`${long}, then https://paste.ee/x!?`)).toEqual({
      suspicious: true,
      urls: [long.slice(0, 500), "https://paste.ee/x"],
      reason:
        "an address carries a name or password; paste.ee is a place where data can be left for anybody to collect",
    });
  });

  it("is listed with each reason once, and at most 50 times", () => {
    const addresses = Array.from({ length: 60 }, (_, at) => `https://a${at}.example/?q=${mixed(24)}`);
    const { urls, reason } = scanOutgoing(addresses.join(" "));
    expect(urls).toHaveLength(50);
    expect(reason).toBe(data);
  });

  it("is searched for in 200,000 characters and no more", () => {
    const address = "https://paste.ee/x";
    expect(scanOutgoing(`${" ".repeat(200_000 - address.length)}${address}`).urls).toEqual([address]);
    expect(scanOutgoing(`${" ".repeat(200_000)}${address}`).urls).toEqual([]);
  });
});

describe("what looks encoded", () => {
  const isData = (value: string) => scanOutgoing(`https://a.example/?q=${value}`).suspicious;

  it("reads as text when it is decoded, from twelve bytes on", () => {
    expect(isData(Buffer.from("the password is horse").toString("base64url"))).toBe(true);
    expect(isData(Buffer.from("line one\nline two and").toString("base64url"))).toBe(true);
    expect(isData(Buffer.from("a sentence in hexadecimal").toString("hex"))).toBe(true);
    expect(isData("00".repeat(24))).toBe(false);
    expect(isData("ff".repeat(24))).toBe(false);
    expect(isData("7f".repeat(24))).toBe(false);
    expect(isData("20".repeat(24))).toBe(true);
    expect(isData("7e".repeat(24))).toBe(true);
  });

  it("or changes often between letters and digits", () => {
    expect(isData("aaaA".repeat(7).slice(0, 24))).toBe(false);
    expect(isData("aaA1".repeat(6))).toBe(true);
    expect(isData(`${"aaA1".repeat(6)}~`)).toBe(false);
  });
});
