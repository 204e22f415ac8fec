(() => {
  // biome-ignore lint/suspicious/noRedundantUseStrict: the page runs this as a classic script, not as a module.
  "use strict";
  // The outer page names the frame, and after a blank the theme.
  const [frame, named] = window.name.split(" ");
  window.name = "";
  const outer = window.parent;
  if (outer === window) {
    // Opened by itself, where nothing keeps it from opening other addresses: show it in its frame, and run none of it here.
    document.write("<plaintext hidden>");
    location.replace(location.href.replace("/preview?", "/view?"));
    return;
  }
  const send = outer.postMessage.bind(outer);
  let left = 300;
  const tell = (message) => {
    if (outer === window || left-- <= 0) return;
    try {
      send({ tackle: frame, ...message }, "*");
    } catch {
      // The outer page is gone.
    }
  };
  const gone = (target, name) => {
    try {
      Object.defineProperty(target, name, { value: undefined, writable: false, configurable: false });
    } catch {
      delete target[name];
    }
  };
  for (const name of Object.getOwnPropertyNames(window))
    if (/^(webkit|moz)?RTC/.test(name)) gone(window, name);
  for (const name of [
    "WebTransport",
    "WebSocketStream",
    "Worker",
    "SharedWorker",
    "showOpenFilePicker",
    "showSaveFilePicker",
  ])
    gone(window, name);
  for (const name of [
    "mediaDevices",
    "getUserMedia",
    "webkitGetUserMedia",
    "serviceWorker",
    "presentation",
  ]) {
    gone(Navigator.prototype, name);
  }
  for (const name of ["write", "writeln", "open", "parseHTMLUnsafe", "parseHTML"]) {
    gone(Document.prototype, name);
    gone(HTMLDocument.prototype, name);
    gone(Document, name);
  }
  for (const prototype of [Element.prototype, ShadowRoot.prototype]) {
    gone(prototype, "setHTMLUnsafe");
    gone(prototype, "setHTML");
  }
  gone(window, "XSLTProcessor");
  // A policy cannot forbid preconnect links and nested frames, so such elements are never created.
  // The artifact can replace built-in methods, so keep the originals.
  const hold = (method) => Function.prototype.call.bind(method);
  const [codeAt, cut, find] = [
    hold(String.prototype.charCodeAt),
    hold(String.prototype.slice),
    hold(String.prototype.indexOf),
  ];
  const NAMES = FORBIDDEN_ELEMENTS;
  const nameAt = (text, at) => {
    for (let index = 0; index < NAMES.length; index++) {
      const name = NAMES[index];
      let same = 0;
      while (same < name.length && (codeAt(text, at + same) | 32) === codeAt(name, same)) same++;
      if (same === name.length) return true;
    }
    return false;
  };
  const harmless = (value) => {
    const html = `${value}`;
    let result = "";
    let from = 0;
    for (;;) {
      const tag = find(html, "<", from);
      if (tag === -1) return result + cut(html, from);
      const at = html[tag + 1] === "/" ? tag + 2 : tag + 1;
      result += cut(html, from, at) + (nameAt(html, at) ? "x-" : "");
      from = at;
    }
  };
  window.trustedTypes?.createPolicy("default", {
    createHTML: harmless,
    createScript: (text) => text,
    createScriptURL: (text) => text,
  });
  const neutral = (name) => {
    const text = `${name}`;
    const colon = find(text, ":");
    return nameAt(text, colon + 1) ? "x-neutral" : text;
  };
  const [create, createIn] = [
    hold(Document.prototype.createElement),
    hold(Document.prototype.createElementNS),
  ];
  Document.prototype.createElement = function createElement(name, options) {
    return create(this, neutral(name), options);
  };
  Document.prototype.createElementNS = function createElementNS(space, name, options) {
    return createIn(this, space, neutral(name), options);
  };
  const define = hold(CustomElementRegistry.prototype.define);
  CustomElementRegistry.prototype.define = function (name, element) {
    return define(this, name, element);
  };
  const command = hold(Document.prototype.execCommand);
  Document.prototype.execCommand = function (name, ui, value) {
    return command(this, name, ui, value === undefined ? "" : harmless(value));
  };
  // Remove such elements from the artifact's own markup, too.
  const FORBIDDEN = `${NAMES.join(",")},meta[http-equiv]`;
  const clear = (root) => {
    for (const element of root.querySelectorAll(FORBIDDEN)) element.remove();
  };
  const observer = new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (node.nodeType !== 1) continue;
        if (node.matches(FORBIDDEN)) node.remove();
        else clear(node);
      }
    }
  });
  const watch = (root) => observer.observe(root, { childList: true, subtree: true });
  watch(document);
  const attachShadow = hold(Element.prototype.attachShadow);
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow(this, options);
    watch(root);
    return root;
  };
  const memory = () => {
    const kept = new Map();
    const storage = {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => void kept.set(String(key), String(value)),
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
      key: (index) => [...kept.keys()][index] ?? null,
      get length() {
        return kept.size;
      },
    };
    return new Proxy(storage, {
      get: (target, key) => (key in target ? target[key] : kept.get(String(key))),
      set: (_, key, value) => {
        kept.set(String(key), String(value));
        return true;
      },
      deleteProperty: (_, key) => {
        kept.delete(String(key));
        return true;
      },
      has: (target, key) => key in target || kept.has(String(key)),
      ownKeys: () => [...kept.keys()],
      getOwnPropertyDescriptor: (_, key) =>
        kept.has(String(key))
          ? { value: kept.get(String(key)), enumerable: true, configurable: true }
          : undefined,
    });
  };
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { value: memory(), configurable: true });
  let cookies = "";
  Object.defineProperty(document, "cookie", {
    get: () => cookies,
    set: (text) => {
      cookies = [cookies, String(text).split(";")[0]].filter(Boolean).join("; ");
    },
    configurable: true,
  });
  window.process ??= { env: {} };
  window.global ??= window;
  const here = location.href.split("#")[0];
  // Without allow-forms, a form's own submit handler is never called. It is called here, and nothing is sent.
  const submit = (form, submitter) => {
    if (!form.noValidate && !submitter?.formNoValidate && !form.reportValidity()) return;
    const going = form.dispatchEvent(
      new SubmitEvent("submit", { bubbles: true, cancelable: true, submitter: submitter ?? null }),
    );
    if (going && form.method === "dialog") form.closest("dialog")?.close(submitter?.value);
    else if (going) tell({ type: "form" });
  };
  HTMLFormElement.prototype.requestSubmit = function (submitter) {
    submit(this, submitter);
  };
  window.addEventListener("click", (event) => {
    if (event.defaultPrevented || !(event.target instanceof Element)) return;
    const link = event.target.closest("a[href], area[href]");
    const url = String(link?.href?.baseVal ?? link?.href ?? here);
    if (url.split("#")[0] !== here) {
      event.preventDefault();
      if (/^https?:/.test(url)) tell({ type: "link", url: url.slice(0, 2000) });
      return;
    }
    const button = event.target.closest("button, input");
    if (!button?.form || (button.type !== "submit" && button.type !== "image")) return;
    event.preventDefault();
    submit(button.form, button);
  });
  window.addEventListener("keydown", (event) => {
    const { target } = event;
    if (
      event.key !== "Enter" ||
      event.defaultPrevented ||
      event.isComposing ||
      !(target instanceof HTMLInputElement) ||
      !target.form
    )
      return;
    // If there is a submit button, the browser clicks it.
    if (
      !target.form.querySelector(
        "button:not([type]), button[type=submit], input[type=submit], input[type=image]",
      )
    )
      submit(target.form);
  });
  // An artifact that sets no colors of its own looks like the page around it. One that does wins over this rule. Tailwind's
  // `dark:` goes by the class.
  const look = new CSSStyleSheet();
  const show = (theme) => {
    look.replaceSync(`:where(html){color-scheme:${theme === "dark" ? "dark" : "light"}}`);
    document.documentElement.classList.toggle("dark", theme === "dark");
  };
  // In a separate tab it has no name and follows the system. An app gets no theme here.
  const system = frame === "" && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const dark = (named ?? system) === "dark";
  show(dark ? "dark" : "light");
  document.adoptedStyleSheets = [look];
  window.addEventListener("message", ({ source, data }) => {
    if (source === outer && data?.type === "theme") show(data.theme);
  });
  // The outer page pings the frame to see that it still responds. The artifact does not receive the ping.
  window.addEventListener("message", (event) => {
    if (event.source !== outer || event.data?.type !== "ping") return;
    event.stopImmediatePropagation();
    send({ tackle: frame, type: "pong" }, "*");
  });
  // The person points at a part to change. Until one is chosen, or Escape ends it, the artifact gets no clicks and keys.
  const MOST_QUOTED = 2000;
  const mark = create(document, "div");
  let picking = false;
  let pointed;
  const point = (element) => {
    if (!(element instanceof Element) || element === document.documentElement || element === mark) return;
    pointed = element;
    const { x, y, width, height } = element.getBoundingClientRect();
    mark.style.cssText = `all:initial;position:fixed;left:${x - 2}px;top:${y - 2}px;width:${width}px;height:${height}px;border:2px solid #0b8f84;border-radius:4px;background:#0b8f8426;pointer-events:none;z-index:2147483647`;
    document.documentElement.append(mark);
  };
  const endPicking = () => {
    picking = false;
    pointed = undefined;
    mark.remove();
  };
  const choose = () => {
    const html = cut(`${pointed?.outerHTML ?? ""}`, 0, MOST_QUOTED);
    endPicking();
    send({ tackle: frame, type: "picked", html }, "*");
  };
  const STEPS = {
    ArrowUp: "parentElement",
    ArrowDown: "firstElementChild",
    ArrowLeft: "previousElementSibling",
    ArrowRight: "nextElementSibling",
  };
  const pick = (event) => {
    // Only what the person does counts, not events that the artifact makes.
    if (!picking || !event.isTrusted || event.key === "Tab") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === "pointermove") point(event.target);
    if (event.type === "click") {
      point(event.target);
      choose();
    }
    if (event.type !== "keydown") return;
    if (event.key === "Enter" && pointed) choose();
    else if (event.key === "Escape") {
      endPicking();
      send({ tackle: frame, type: "unpicked" }, "*");
    } else if (pointed && Object.hasOwn(STEPS, event.key)) point(pointed[STEPS[event.key]]);
  };
  for (const type of [
    "pointermove",
    "pointerdown",
    "pointerup",
    "mousedown",
    "mouseup",
    "click",
    "dblclick",
    "keydown",
    "keyup",
  ])
    window.addEventListener(type, pick, true);
  window.addEventListener("scroll", () => point(pointed), true);
  window.addEventListener("message", (event) => {
    if (event.source !== outer || event.data?.type !== "pick") return;
    event.stopImmediatePropagation();
    if (event.data.on !== true) return endPicking();
    picking = true;
    point((document.getElementById("root") ?? document.body)?.firstElementChild);
  });
  const spoken = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return value.stack || value.message;
    try {
      return JSON.stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  for (const level of ["log", "info", "warn", "error", "debug"]) {
    const original = console[level].bind(console);
    console[level] = (...values) => {
      original(...values);
      tell({ type: "console", level, text: values.map(spoken).join(" ").slice(0, 4000) });
    };
  }
  const failed = (message, line, column) =>
    tell({ type: "error", message: String(message).slice(0, 4000), line, column });
  window.addEventListener("error", ({ message, lineno, colno, error }) =>
    failed(error?.message ?? message, lineno, colno),
  );
  window.addEventListener("unhandledrejection", ({ reason }) => failed(reason?.message ?? reason));
  const ready = () => tell({ type: "ready" });
  // A hidden frame is never painted, so report it as ready after a short time.
  const painted = () => {
    let told = false;
    const once = () => {
      if (!told) ready();
      told = true;
    };
    requestAnimationFrame(once);
    setTimeout(once, 250);
  };
  Object.defineProperty(window, Symbol.for("tackle.frame"), {
    value: Object.freeze({ ready, painted, failed, outer, dark }),
  });
})();
