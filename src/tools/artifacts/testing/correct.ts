import type { ArtifactCase } from "./case.ts";

const FENCE = "```";

/** Correct artifacts, some of which look broken. */
export const CORRECT: readonly ArtifactCase[] = [
  {
    name: "a counter",
    code: `import { useState } from "react";\nexport default function Counter() {\n  const [n, setN] = useState(0);\n  return <div><p>count {n}</p><button onClick={() => setN(n + 1)}>plus</button></div>;\n}\n`,
    shows: "count 2",
    press: ["plus", "plus"],
  },
  {
    name: "tags of a document in strings and comments",
    code: `// <!DOCTYPE html><html><body>\n/* <head></head> */\nconst page = "<!DOCTYPE html><html><head></head><body>hi</body></html>";\nexport default function App() { return <pre>{page}{"<html>"}</pre>; }\n`,
    shows: "<!DOCTYPE html><html>",
  },
  {
    name: "fences in a template",
    code: `const text = \`\n${FENCE.replaceAll("`", "\\`")}js\nlet a;\n${FENCE.replaceAll("`", "\\`")}\n\`;\nexport default function App() { return <pre>{text.length}</pre>; }\n`,
    shows: "",
  },
  {
    name: "mistakes in strings",
    code: `const samples = ["const * as X from 'y'", "import React from React", "items.sort()", "class", "  .filter(x)"];\nexport default function App() { return <ul>{samples.map((one) => <li key={one}>{one}</li>)}</ul>; }\n`,
    shows: "const * as X from 'y'",
  },
  {
    name: "mistakes in comments",
    code: `// const * as X from 'y';\n// items.sort(); items[0] = 1;\n/* import React from React */\nexport default function App() {\n  /* ;\n    .map(x) */\n  return <p>comments stay</p>; // <br>\n}\n`,
    shows: "comments stay",
  },
  {
    name: "a local list sorted in place",
    code: `export default function App() {\n  const list = [3, 1, 2];\n  list.sort();\n  list.reverse();\n  list[0] = 9;\n  list.splice(1, 1);\n  return <p>local {list.join("")}</p>;\n}\n`,
    shows: "local 91",
  },
  {
    name: "state copied before it is changed",
    code: `import { useState } from "react";\nexport default function App() {\n  const [items, setItems] = useState([2, 1]);\n  const sort = () => { const copy = [...items]; copy.sort(); setItems(copy); };\n  return <div><p>items {items.join("")} {items.slice().reverse().join("")}</p><button onClick={sort}>sort</button></div>;\n}\n`,
    shows: "items 12 21",
    press: ["sort"],
  },
  {
    name: "a reducer",
    code: `import { useReducer } from "react";\nfunction reducer(state, action) {\n  switch (action.type) {\n    case "add": return { ...state, n: state.n + 1 };\n    default: return state;\n  }\n}\nexport default function App() {\n  const [state, dispatch] = useReducer(reducer, { n: 0 });\n  return <div><p>reduced {state.n}</p><button onClick={() => dispatch({ type: "add" })}>add</button></div>;\n}\n`,
    shows: "reduced 1",
    press: ["add"],
  },
  {
    name: "a context",
    code: `import { createContext, useContext } from "react";\nconst Theme = createContext("light");\nfunction Label() { return <p>theme {useContext(Theme)}</p>; }\nexport default function App() { return <Theme.Provider value="dark"><Label /></Theme.Provider>; }\n`,
    shows: "theme dark",
  },
  {
    name: "a class component",
    code: `import React from "react";\nexport default class Counter extends React.Component {\n  state = { n: 1 };\n  render() { return <button onClick={() => this.setState({ n: this.state.n + 1 })}>class {this.state.n}</button>; }\n}\n`,
    shows: "class 1",
  },
  {
    name: "a ref that is changed",
    code: `import { useRef, useState, useEffect } from "react";\nexport default function App() {\n  const list = useRef([]);\n  const [n, setN] = useState(0);\n  useEffect(() => { list.current.push(1); list.current[0] = 5; setN(list.current[0]); }, []);\n  return <p>ref {n}</p>;\n}\n`,
    shows: "ref 5",
  },
  {
    name: "memo and forwardRef",
    code: `import { forwardRef, memo, useRef } from "react";\nconst Field = memo(forwardRef(function Field(props, ref) { return <input ref={ref} aria-label="field" defaultValue={props.value} />; }));\nexport default function App() { const ref = useRef(null); return <div><Field ref={ref} value="x" /><p>forwarded</p></div>; }\n`,
    shows: "forwarded",
  },
  {
    name: "a named default export",
    code: `function Panel() { return <p>as default</p>; }\nexport { Panel as default };\n`,
    shows: "as default",
  },
  {
    name: "an arrow as the default export",
    code: `export default () => <p>anonymous arrow</p>;\n`,
    shows: "anonymous arrow",
  },
  {
    name: "a component wrapped at the export",
    code: `import { memo } from "react";\nconst App = () => <p>wrapped</p>;\nexport default memo(App);\n`,
    shows: "wrapped",
  },
  {
    name: "several components and helpers",
    code: `import { useMemo } from "react";\nexport const sum = (list) => list.reduce((a, b) => a + b, 0);\nconst Row = ({ label, value }) => <li>{label}: {value}</li>;\nexport default function Table() {\n  const total = useMemo(() => sum([1, 2, 3]), []);\n  return <ul><Row label="total" value={total} /></ul>;\n}\n`,
    shows: "total: 6",
  },
  {
    name: "a bar chart",
    code: `import { BarChart, Bar, XAxis, YAxis, Tooltip, Legend, CartesianGrid } from "recharts";\nconst data = [{ name: "A", v: 4 }, { name: "B", v: 7 }];\nexport default function App() { return <div><h1>Bars</h1><BarChart width={300} height={150} data={data}><CartesianGrid strokeDasharray="3 3" /><XAxis dataKey="name" /><YAxis /><Tooltip /><Legend /><Bar dataKey="v" fill="#8884d8" isAnimationActive={false} /></BarChart></div>; }\n`,
    shows: "Bars",
  },
  {
    name: "a line and a pie chart",
    code: `import { LineChart, Line, PieChart, Pie, Cell } from "recharts";\nconst data = [{ v: 4 }, { v: 7 }];\nexport default function App() { return <div><p>Lines and pies</p><LineChart width={200} height={100} data={data}><Line dataKey="v" isAnimationActive={false} /></LineChart><PieChart width={120} height={120}><Pie data={data} dataKey="v" isAnimationActive={false}><Cell fill="red" /><Cell fill="blue" /></Pie></PieChart></div>; }\n`,
    shows: "Lines and pies",
  },
  {
    name: "icons",
    code: `import { Heart, Star, ArrowRight as Next } from "lucide-react";\nexport default function App() { return <p><Heart size={12} /><Star className="text-yellow-500" /><Next /> icons there</p>; }\n`,
    shows: "icons there",
  },
  {
    name: "icons as a namespace",
    code: `import * as Icons from "lucide-react";\nexport default function App() { const Icon = Icons["Sun"]; return <p><Icons.Moon /><Icon /> namespace</p>; }\n`,
    shows: "namespace",
  },
  {
    name: "motion",
    code: `import { motion, AnimatePresence } from "framer-motion";\nexport default function App() { return <AnimatePresence><motion.div key="a" initial={false} animate={{ opacity: 1 }}>in motion</motion.div></AnimatePresence>; }\n`,
    shows: "in motion",
  },
  {
    name: "tabs of Radix",
    code: `import { Tabs } from "radix-ui";\nexport default function App() { return <Tabs.Root defaultValue="a"><Tabs.List><Tabs.Trigger value="a">First</Tabs.Trigger><Tabs.Trigger value="b">Second</Tabs.Trigger></Tabs.List><Tabs.Content value="a">first tab</Tabs.Content><Tabs.Content value="b">second tab</Tabs.Content></Tabs.Root>; }\n`,
    shows: "first tab",
  },
  {
    name: "a dialog of a single Radix package",
    code: `import * as Dialog from "@radix-ui/react-dialog";\nexport default function App() { return <Dialog.Root><Dialog.Trigger>Open it</Dialog.Trigger></Dialog.Root>; }\n`,
    shows: "Open it",
  },
  {
    name: "a portal and an id",
    code: `import { useId, useState, useEffect } from "react";\nimport { createPortal } from "react-dom";\nexport default function App() { const id = useId(); const [on, setOn] = useState(false); useEffect(() => setOn(true), []); return <div><p>id {typeof id}</p>{on && createPortal(<p>portal</p>, document.body)}</div>; }\n`,
    shows: "portal",
  },
  {
    name: "comparisons that look like tags",
    code: `const less = (a, b) => a < b && b > a;\nexport default function App() { const x = 3; return <p>{x < 5 && x > 1 ? "between" : "no"} {String(less(1, 2))}</p>; }\n`,
    shows: "between true",
  },
  {
    name: "patterns and divisions",
    code: `const pattern = /<\\/?[a-z]+>|["'\`{]/g;\nexport default function App() { const half = 10 / 2 / 1; return <p>{"<b>x</b>".replace(pattern, "")} {half}</p>; }\n`,
    shows: "x 5",
  },
  {
    name: "nested templates",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of the artifact
    code: 'const name = "Ada";\nexport default function App() { return <p className={`a ${name ? `b-${name}` : ""}`}>{`hello ${name.toUpperCase()} ${[1, 2].map((n) => `n${n}`).join(" ")}`}</p>; }\n',
    shows: "hello ADA n1 n2",
  },
  {
    name: "the end of a script in a string",
    code: `const html = "<script>alert(1)</script><!-- x -->";\nexport default function App() { return <code>{html}</code>; }\n`,
    shows: "<script>alert(1)</script>",
  },
  {
    name: "properties with reserved names",
    code: `const data = { class: "a", default: "b", new: "c", delete: () => "d" };\nexport default function App() { return <p>{data.class}{data.default}{data.new}{data.delete()}</p>; }\n`,
    shows: "abcd",
  },
  {
    name: "optional chains and defaults",
    code: `const user = { address: null, list: [1] };\nexport default function App({ title = "fallback" }) { return <p>{title} {user?.address?.city ?? "nowhere"} {user.list?.[0]} {user.greet?.() ?? "silent"}</p>; }\n`,
    shows: "fallback nowhere 1 silent",
  },
  {
    name: "an effect that waits",
    code: `import { useEffect, useState } from "react";\nexport default function App() { const [text, setText] = useState("waiting"); useEffect(() => { let on = true; (async () => { await Promise.resolve(); if (on) setText("arrived"); })(); return () => { on = false; }; }, []); return <p>{text}</p>; }\n`,
    shows: "arrived",
  },
  {
    name: "a generator and labels",
    code: `function* counting() { for (let i = 0; i < 3; i++) yield i; }\nexport default function App() { const out = []; outer: for (const i of counting()) { for (const j of [0, 1]) { if (i === 1) continue outer; out.push(i + j); } } return <p>gen {out.join("")}</p>; }\n`,
    shows: "gen 0123",
  },
  {
    name: "own variables with names of hooks",
    code: `const useThing = () => "own hook";\nexport default function App() { const motion = useThing(); const Heart = () => <b>heart</b>; return <p>{motion} <Heart /></p>; }\n`,
    shows: "own hook heart",
  },
  {
    name: "a form",
    code: `import { useState } from "react";\nexport default function Form() { const [sent, setSent] = useState(false); return <form onSubmit={(event) => { event.preventDefault(); setSent(true); }}><label htmlFor="a">Name</label><input id="a" defaultValue="x" /><p>{sent ? "was sent" : "not sent"}</p><button>send</button></form>; }\n`,
    shows: "was sent",
    press: ["send"],
  },
  {
    name: "a calculator that evaluates",
    code: `import { useState } from "react";\nexport default function Calculator() { const [out, setOut] = useState(""); return <div><p>result {out}</p><button onClick={() => setOut(String(new Function("return 6*7")()))}>equals</button></div>; }\n`,
    shows: "result 42",
    press: ["equals"],
  },
  {
    name: "code with Windows line ends and no semicolons",
    code: `import { useState } from "react"\r\n\r\nconst App = () => {\r\n  const [a] = useState("windows")\r\n  return (\r\n    <p>{a}</p>\r\n  )\r\n}\r\n\r\nexport default App\r\n`,
    shows: "windows",
  },
  {
    name: "other alphabets and pictures",
    code: `export default function App() { const 名前 = "日本語"; return <p>{名前} — “quoted” 🎉 → ok</p>; }\n`,
    shows: "日本語 — “quoted” 🎉 → ok",
  },
  {
    name: "a page with script and style",
    type: "html",
    code: `<!DOCTYPE html>\n<html lang="en">\n<head><title>Page</title><style>h1 { color: red; }</style></head>\n<body><h1>Correct page</h1><p id="o"></p><script>document.getElementById("o").textContent = "scripted " + [1, 2].map((n) => n * 2).join();</script></body>\n</html>\n`,
    shows: "scripted 2,4",
  },
  {
    name: "a page with a module",
    type: "html",
    code: `<!doctype html>\n<title>Module</title>\n<main></main>\n<script type="module">\nconst main = document.querySelector("main");\nmain.innerHTML = "<p>from a module</p>";\n</script>\n`,
    shows: "from a module",
  },
  {
    name: "a part of a page",
    type: "html",
    code: `<section><h2>Only a part</h2><p>of a page</p></section>`,
    shows: "Only a part",
  },
  {
    name: "a drawing",
    type: "svg",
    code: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">\n  <title>Circle</title>\n  <defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>\n  <circle cx="50" cy="50" r="40" fill="url(#g)"/>\n</svg>\n`,
    shows: "",
  },
  {
    name: "a flowchart",
    type: "mermaid",
    code: `flowchart TD\n  A["Start (now)"] --> B{Choice}\n  B -->|yes| C[Go]\n  B -->|no| D[Stay]\n`,
    shows: "Choice",
  },
  {
    name: "a sequence",
    type: "mermaid",
    code: `sequenceDiagram\n  participant A as Alice\n  A->>B: Hello\n  alt good\n    B-->>A: Hi\n  end\n`,
    shows: "Hello",
  },
  {
    name: "a document",
    type: "markdown",
    code: `# Title\n\nText with **bold**, \`<html>\` and a list:\n\n- one\n- two\n\n${FENCE}js\nconst a = 1;\n${FENCE}\n\n| a | b |\n| - | - |\n| 1 | 2 |\n`,
    shows: "Text with bold",
  },
  {
    name: "source code",
    type: "code",
    code: `def main():\n    print("<b>source</b>")\n`,
    shows: "<b>source</b>",
  },
];
