import type { ArtifactCase } from "./case.ts";

const SHOW =
  "const show = (value) => JSON.stringify(value, (_, one) => (one instanceof Set || one instanceof Map ? [...one] : one));\n";

/** A component whose button changes its state. It shows the state and what the first state has become. */
function stateful(initial: string, go: string, before = ""): string {
  return `import { useRef, useState } from "react";
${SHOW}${before}export default function App() {
  const [s, setS] = useState(${initial});
  const first = useRef(s);
  const go = () => {
    ${go}
  };
  return <div><p>is {show(s)} was {show(first.current)}</p><button onClick={go}>go</button></div>;
}
`;
}

/** The same with a reducer. */
function reduced(reducer: string, initial: string): string {
  return `import { useReducer, useRef } from "react";
${SHOW}${reducer}
export default function App() {
  const [s, dispatch] = useReducer(reducer, ${initial});
  const first = useRef(s);
  return <div><p>is {show(s)} was {show(first.current)}</p><button onClick={() => dispatch({ type: "go", item: 1 })}>go</button></div>;
}
`;
}

/** A parent that owns a list, and a child that gets it. */
function child(code: string): string {
  return `import { useRef, useState } from "react";
${SHOW}${code}
export default function App() {
  const [s, setS] = useState([2, 1]);
  const first = useRef(s);
  return <div><p>is {show(s)} was {show(first.current)}</p><Child items={s} onChange={setS} /></div>;
}
`;
}

/** A component with an effect. */
function inEffect(effect: string, dependencies: string): string {
  return stateful("[]", "setS([]);")
    .replace("useRef,", "useEffect, useRef,")
    .replace("  const go", `  useEffect(() => {\n    ${effect}\n  }${dependencies});\n  const go`);
}

const repaired = (name: string, code: string, shows: string): ArtifactCase => ({
  name,
  code,
  shows,
  press: ["go"],
});

/** State, props and parameters changed in place. After a press, the new value shows and the first one is untouched. */
export const MUTATED: readonly ArtifactCase[] = [
  repaired("a set added to", stateful("new Set()", "s.add(1);\n    setS(s);"), "is [1] was []"),
  repaired(
    "a set deleted from",
    stateful("new Set([1, 2])", "s.delete(1);\n    setS(s);"),
    "is [2] was [1,2]",
  ),
  repaired("a set cleared", stateful("() => new Set([1])", "s.clear(); setS(s);"), "is [] was [1]"),
  repaired("the value of add as the new state", stateful("new Set()", "setS(s.add(1));"), "is [1] was []"),
  repaired(
    "the value of delete as the new state",
    stateful("new Set([1, 2])", "setS(s.delete(2));"),
    "is [1] was [1,2]",
  ),
  repaired(
    "a set added to in an updater",
    stateful("new Set()", "setS((old) => { old.add(1); return old; });"),
    "is [1] was []",
  ),
  repaired(
    "a set added to in a short updater",
    stateful("new Set()", "setS((old) => old.add(1));"),
    "is [1] was []",
  ),
  repaired(
    "a set toggled",
    stateful("new Set([1])", "if (s.has(1)) s.delete(1); else s.add(1);\n    setS(s);"),
    "is [] was [1]",
  ),
  repaired("a map set", stateful("new Map()", 's.set("a", 1);\n    setS(s);'), 'is [["a",1]] was []'),
  repaired(
    "the value of set as the new state",
    stateful("new Map()", 'setS(s.set("a", 1));'),
    'is [["a",1]] was []',
  ),
  repaired(
    "a map deleted from",
    stateful('new Map([["a", 1]])', 's.delete("a");\n    setS(s);'),
    'is [] was [["a",1]]',
  ),
  repaired(
    "a set inside of an object",
    stateful("{ tags: new Set() }", "s.tags.add(1);\n    setS({ ...s });"),
    'is {"tags":[1]} was {"tags":[]}',
  ),
  repaired(
    "an alias of a list",
    stateful("[]", "const copy = s;\n    copy.push(1);\n    setS(copy);"),
    "is [1] was []",
  ),
  repaired(
    "an alias of an object",
    stateful("{ n: 1 }", "let next = s;\n    next.n = 2;\n    setS(next);"),
    'is {"n":2} was {"n":1}',
  ),
  repaired(
    "an alias of a set",
    stateful("new Set()", "const next = s;\n    next.add(1);\n    setS(next);"),
    "is [1] was []",
  ),
  repaired(
    "an alias in an updater",
    stateful("[]", "setS((old) => { const next = old; next.push(1); return next; });"),
    "is [1] was []",
  ),
  repaired(
    "a nested property",
    stateful("{ n: { x: 1 } }", "s.n.x = 5;\n    setS(s);"),
    'is {"n":{"x":5}} was {"n":{"x":1}}',
  ),
  repaired(
    "a nested property of a copy",
    stateful("{ n: { x: 1 } }", "const next = { ...s };\n    next.n.x = 5;\n    setS(next);"),
    'is {"n":{"x":5}} was {"n":{"x":1}}',
  ),
  repaired(
    "a deeply nested property",
    stateful("{ a: { b: { c: 1 } } }", "const next = { ...s };\n    next.a.b.c = 2;\n    setS(next);"),
    'is {"a":{"b":{"c":2}}} was {"a":{"b":{"c":1}}}',
  ),
  repaired(
    "a list inside of a copy",
    stateful("{ list: [1] }", "const next = Object.assign({}, s);\n    next.list.push(2);\n    setS(next);"),
    'is {"list":[1,2]} was {"list":[1]}',
  ),
  repaired(
    "an element of a copied list",
    stateful("[{ done: false }]", "const next = s.slice();\n    next[0].done = true;\n    setS(next);"),
    'is [{"done":true}] was [{"done":false}]',
  ),
  repaired(
    "an element, then a copy set",
    stateful("[{ done: false }]", "s[0].done = true;\n    setS([...s]);"),
    'is [{"done":true}] was [{"done":false}]',
  ),
  repaired(
    "a cell of a grid",
    stateful(
      "[[0, 0], [0, 0]]",
      "const next = [...s];\n    const row = 1;\n    next[row][0] = 7;\n    setS(next);",
    ),
    "is [[0,0],[7,0]] was [[0,0],[0,0]]",
  ),
  repaired(
    "an entry by its key",
    stateful("{ a: { n: 1 } }", 'const id = "a";\n    s[id].n += 1;\n    setS({ ...s });'),
    'is {"a":{"n":2}} was {"a":{"n":1}}',
  ),
  repaired(
    "a value of unknown kind by its key",
    stateful("JSON.parse('{\"a\":1}')", 'const id = "b";\n    s[id] = 2;\n    setS(s);'),
    'is {"a":1,"b":2} was {"a":1}',
  ),
  repaired(
    "elements in a loop",
    stateful(
      "[{ n: 1 }, { n: 2 }]",
      "for (let i = 0; i < s.length; i++) {\n      s[i].n *= 10;\n    }\n    setS(s);",
    ),
    'is [{"n":10},{"n":20}] was [{"n":1},{"n":2}]',
  ),
  repaired(
    "a list filled in a callback",
    stateful("[]", "[1, 2].forEach((n) => { s.push(n); });\n    setS(s);"),
    "is [1,2] was []",
  ),
  repaired(
    "elements changed by map",
    stateful("[{ n: 1 }]", "setS(s.map((one) => { one.n = 5; return one; }));"),
    'is [{"n":5}] was [{"n":1}]',
  ),
  repaired(
    "a list changed in a condition",
    stateful("[1]", "if (s.length < 5) {\n      s.push(2);\n    }\n    setS(s);"),
    "is [1,2] was [1]",
  ),
  repaired(
    "an element moved",
    stateful("[1, 2, 3]", "const [moved] = s.splice(0, 1);\n    s.splice(2, 0, moved);\n    setS([...s]);"),
    "is [2,3,1] was [1,2,3]",
  ),
  repaired(
    "two elements swapped",
    stateful("[1, 2]", "[s[0], s[1]] = [s[1], s[0]];\n    setS(s);"),
    "is [2,1] was [1,2]",
  ),
  repaired(
    "the last element taken",
    stateful("[1, 2]", "const last = s.pop();\n    setS([last, ...s]);"),
    "is [2,1] was [1,2]",
  ),
  repaired(
    "Object.assign to state",
    stateful("{ a: 1 }", "Object.assign(s, { b: 2 });\n    setS(s);"),
    'is {"a":1,"b":2} was {"a":1}',
  ),
  repaired(
    "the value of Object.assign as the new state",
    stateful("{ a: 1 }", "setS((old) => Object.assign(old, { b: 2 }));"),
    'is {"a":1,"b":2} was {"a":1}',
  ),
  repaired(
    "a property deleted",
    stateful("{ a: 1, b: 2 }", "delete s.a;\n    setS(s);"),
    'is {"b":2} was {"a":1,"b":2}',
  ),
  repaired(
    "the same name in two functions",
    stateful("[]", "const add = (s) => s.length;\n    s.push(add([]));\n    setS(s);"),
    "is [0] was []",
  ),
  repaired(
    "a helper that changes its parameter and returns it",
    stateful("[0]", "setS(mark(s, 0));", 'function mark(cells, at) { cells[at] = "X"; return cells; }\n'),
    'is ["X"] was [0]',
  ),
  repaired(
    "a helper that changes its parameter",
    stateful("[0]", "mark(s, 0);\n    setS(s);", 'const mark = (cells, at) => { cells[at] = "X"; };\n'),
    'is ["X"] was [0]',
  ),
  repaired(
    "a reducer that changes its state",
    reduced(
      'function reducer(state, action) {\n  switch (action.type) {\n    case "go":\n      state.n++;\n      return state;\n    default:\n      return state;\n  }\n}',
      "{ n: 0 }",
    ),
    'is {"n":1} was {"n":0}',
  ),
  repaired(
    "a reducer that changes a list inside",
    reduced(
      'const reducer = (state, action) => {\n  if (action.type === "go") {\n    state.items.push(action.item);\n    return { ...state };\n  }\n  return state;\n};',
      "{ items: [] }",
    ),
    'is {"items":[1]} was {"items":[]}',
  ),
  repaired(
    "a reducer over a list",
    reduced("function reducer(items, action) {\n  items.push(action.item);\n  return items;\n}", "[]"),
    "is [1] was []",
  ),
  repaired(
    "a reducer with an alias",
    reduced(
      "function reducer(state, action) {\n  const next = state;\n  next.n = 3;\n  return next;\n}",
      "{ n: 0 }",
    ),
    'is {"n":3} was {"n":0}',
  ),
  repaired(
    "a reducer with two cases that change a list",
    reduced(
      'function reducer(state, action) {\n  switch (action.type) {\n    case "go": state.list.push(1); return { ...state };\n    case "clear": state.list.length = 0; return { ...state };\n  }\n}',
      "{ list: [] }",
    ),
    'is {"list":[1]} was {"list":[]}',
  ),
  repaired(
    "props changed in a handler",
    child(
      "function Child({ items, onChange }) {\n  return <button onClick={() => { items.push(3); onChange(items); }}>go</button>;\n}",
    ),
    "is [2,1,3] was [2,1]",
  ),
  repaired(
    "props changed through their object",
    child(
      "function Child(props) {\n  return <button onClick={() => { props.items.push(3); props.onChange(props.items); }}>go</button>;\n}",
    ),
    "is [2,1,3] was [2,1]",
  ),
  repaired(
    "props sorted while rendering",
    child(
      'function Child({ items }) {\n  items.sort();\n  return <button>{"go"}{show(items) === "[1,2]" ? "" : "!"}</button>;\n}',
    ),
    "is [2,1] was [2,1]",
  ),
  repaired(
    "props of a wrapped component sorted",
    `import { memo } from "react";\n${child('const Child = memo(({ items }) => {\n  const sorted = items.sort();\n  return <button>{sorted[0] === 1 ? "go" : ""}</button>;\n});')}`,
    "is [2,1] was [2,1]",
  ),
  {
    name: "elements side by side on one line",
    code: "export default function App(){ return <h1>a</h1><p>b</p> }",
    shows: "a b",
  },
  {
    name: "elements side by side after an arrow",
    code: "const App = () => <h1>a</h1><p>b</p>\nexport default App",
    shows: "a b",
  },
  {
    name: "elements side by side below return",
    code: "export default function App() {\n  return\n    <h1>a</h1>\n    <p>b</p>\n}",
    shows: "a b",
  },
  {
    name: "elements side by side in a condition",
    code: "export default function App() { const on = true; return <div>{on && <b>a</b><i>b</i>}</div> }",
    shows: "ab",
  },
  {
    name: "an element with a component in an attribute, then another",
    code: "const Box = ({ icon, children }) => <p>{icon()}{children}</p>;\nexport default function App(){ return <Box icon={() => <b>i</b>}>a</Box><p>b</p> }",
    shows: "ia b",
  },
  repaired(
    "a list set for each element",
    stateful("[]", "[1, 2].forEach((n) => {\n      s.push(n);\n      setS(s);\n    });"),
    "is [1,2] was []",
  ),
  repaired(
    "a list filled in a loop of an updater",
    stateful(
      "[]",
      "setS((old) => {\n      for (const n of [1, 2]) {\n        old.push(n);\n      }\n      return old;\n    });",
    ),
    "is [1,2] was []",
  ),
  repaired(
    "two elements by a counter",
    stateful("[{ n: 1 }, { n: 2 }]", "let i = 0;\n    s[i].n = 5;\n    i++;\n    s[i].n = 6;\n    setS(s);"),
    'is [{"n":5},{"n":6}] was [{"n":1},{"n":2}]',
  ),
];

/** Changes that cannot be repaired without guessing. They are reported, and the code stays as it is. */
export const REPORTED: readonly { name: string; code: string; about: string }[] = [
  {
    name: "an effect that would run again for the new value",
    code: inEffect("s.push(1);\n    setS(s);", ", [s]"),
    about: "s",
  },
  {
    name: "an updater in an effect without dependencies",
    code: inEffect("setS((old) => {\n      old.push(1);\n      return old;\n    });", ""),
    about: "old",
  },
  {
    name: "state set in a condition while rendering",
    code: stateful("[]", "setS([]);").replace(
      "  const go",
      "  if (s.length < 9) {\n    s.push(1);\n    setS(s);\n  }\n  const go",
    ),
    about: "s",
  },
  {
    name: "an instance in state of unknown kind",
    code: stateful(
      "null",
      "const game = new Game();\n    s.score = game.score;\n    setS(s);",
      "class Game { score = 0; }\n",
    ),
    about: "s",
  },
  { name: "state that is never set", code: stateful("[]", "s.push(1);"), about: "s" },
  { name: "a set that is never set", code: stateful("new Set()", "s.add(1);"), about: "s" },
  {
    name: "an alias that is never set",
    code: stateful("[]", "const copy = s;\n    copy.push(1);"),
    about: "copy",
  },
  {
    name: "elements in forEach",
    code: stateful("[{ n: 1 }]", "s.forEach((one) => { one.n = 2; });\n    setS([...s]);"),
    about: "one",
  },
  {
    name: "elements in for…of",
    code: stateful("[{ n: 1 }]", "for (const one of s) one.n = 2;\n    setS([...s]);"),
    about: "one",
  },
  {
    name: "an element that was found",
    code: stateful(
      "[{ n: 1 }]",
      "const one = s.find(({ n }) => n === 1);\n    one.n = 2;\n    setS([...s]);",
    ),
    about: "one",
  },
  {
    name: "a part that was taken out",
    code: stateful("{ list: [] }", "const { list } = s;\n    list.push(1);\n    setS({ ...s, list });"),
    about: "list",
  },
  {
    name: "state changed while rendering",
    code: stateful("[]", "setS([]);").replace("  const go", "  s.push(1);\n  const go"),
    about: "s",
  },
  {
    name: "props changed in a handler and not passed on",
    code: child(
      "function Child({ items }) {\n  return <button onClick={() => items.push(1)}>go</button>;\n}",
    ),
    about: "items",
  },
  {
    name: "an instance of a class",
    code: stateful("() => new Game()", "s.score += 1;\n    setS(s);", "class Game { score = 0; }\n"),
    about: "s",
  },
  {
    name: "a class component",
    code: 'import React from "react";\nexport default class App extends React.Component {\n  state = { list: [] };\n  go = () => { this.state.list.push(1); this.setState({ list: this.state.list }); };\n  render() { return <button onClick={this.go}>{this.state.list.length}</button>; }\n}\n',
    about: "this.state",
  },
  {
    name: "a short reducer",
    code: reduced("const reducer = (state) => (state.n++, state);", "{ n: 0 }"),
    about: "state",
  },
  { name: "an optional chain", code: stateful("null", "s?.list?.push(1);\n    setS({ ...s });"), about: "s" },
];

/** Correct code that looks like the above. */
export const UNMUTATED: readonly { name: string; code: string }[] = [
  {
    name: "a list copied by spreading",
    code: stateful("[]", "const next = [...s];\n    next.push(1);\n    setS(next);"),
  },
  {
    name: "a set copied",
    code: stateful("new Set()", "const next = new Set(s);\n    next.add(1);\n    setS(next);"),
  },
  { name: "a map copied", code: stateful("new Map()", 'setS(new Map(s).set("a", 1));') },
  {
    name: "nested copies",
    code: stateful(
      "{ n: { x: 1 } }",
      "const next = { ...s, n: { ...s.n } };\n    next.n.x = 5;\n    setS(next);",
    ),
  },
  {
    name: "a part assigned before it is changed",
    code: stateful(
      "{ n: { x: 1 } }",
      "const next = { ...s };\n    next.n = { ...next.n };\n    next.n.x = 5;\n    setS(next);",
    ),
  },
  {
    name: "rows copied by map",
    code: stateful("[[0]]", "const next = s.map((row) => [...row]);\n    next[0][0] = 1;\n    setS(next);"),
  },
  {
    name: "a deep copy",
    code: stateful("{ n: { x: 1 } }", "const next = structuredClone(s);\n    next.n.x = 5;\n    setS(next);"),
  },
  {
    name: "a deep copy through JSON",
    code: stateful(
      "{ n: { x: 1 } }",
      "const next = JSON.parse(JSON.stringify(s));\n    next.n.x = 5;\n    setS(next);",
    ),
  },
  {
    name: "an element copied",
    code: stateful("[{ n: 1 }]", "const one = { ...s[0] };\n    one.n = 2;\n    setS([one]);"),
  },
  { name: "a map over copies", code: stateful("[{ n: 1 }]", "setS(s.map((one) => ({ ...one, n: 2 })));") },
  {
    name: "an updater that copies",
    code: stateful("[]", "setS((old) => { const next = [...old]; next.push(1); return next; });"),
  },
  {
    name: "an updater that copies its parameter",
    code: stateful("[]", "setS((old) => { old = [...old]; old.push(1); return old; });"),
  },
  {
    name: "a local list",
    code: stateful("[]", "const list = [];\n    list.push(1);\n    list.sort();\n    setS(list);"),
  },
  {
    name: "a local list with the name of state elsewhere",
    code: stateful(
      "[]",
      "const sum = (items) => { const s = []; s.push(items); return s; };\n    setS(sum(1));",
    ),
  },
  {
    name: "a list built in a loop over state",
    code: stateful("[1]", "const rows = [];\n    for (const one of s) rows.push(one);\n    setS(rows);"),
  },
  {
    name: "a ref",
    code: 'import { useRef } from "react";\nexport default function App({ log = useRef([]) }) {\n  const list = useRef([]);\n  list.current.push(1);\n  log.current.push(2);\n  list.current.length = 0;\n  return <p>{list.current.length}</p>;\n}\n',
  },
  {
    name: "a ref in props",
    code: "function Child({ boxRef, store }) {\n  boxRef.current = 1;\n  store.current.list.push(1);\n  return <p>x</p>;\n}\nexport default function App() { return <Child boxRef={{}} store={{ current: { list: [] } }} />; }\n",
  },
  {
    name: "an object kept in state that is never set",
    code: 'import { useState } from "react";\nexport default function App() {\n  const [game] = useState(() => ({ score: 0 }));\n  game.score += 1;\n  return <p>{game.score}</p>;\n}\n',
  },
  {
    name: "fields of a class",
    code: "class Game {\n  cells = [];\n  seen = new Set();\n  play(cell) { this.cells.push(cell); this.seen.add(cell); this.cells[0] = 1; }\n}\nconst game = new Game();\nexport default function App() { game.play(1); return <p>{game.cells.length}</p>; }\n",
  },
  {
    name: "a producer of drafts",
    code: 'import { useState } from "react";\nconst produce = (change) => (old) => { const draft = structuredClone(old); change(draft); return draft; };\nexport default function App() {\n  const [s, setS] = useState({ list: [] });\n  return <button onClick={() => setS(produce((draft) => { draft.list.push(1); draft.n = 1; }))}>{s.list.length}</button>;\n}\n',
  },
  {
    name: "a reducer that spreads",
    code: reduced(
      "function reducer(state, action) {\n  const next = { ...state };\n  next.n = state.n + 1;\n  next.list = [...state.list];\n  next.list.push(1);\n  return next;\n}",
      "{ n: 0, list: [] }",
    ),
  },
  {
    name: "an accumulator",
    code: stateful("[1, 2]", "setS(s.reduce((sum, one) => { sum.push(one * 2); return sum; }, []));"),
  },
  {
    name: "a sorted copy",
    code: stateful("[2, 1]", "setS([...s].sort());\n    setS(s.toSorted());\n    setS(s.slice().reverse());"),
  },
  {
    name: "a helper that changes a local list",
    code: stateful(
      "[1, 2]",
      "const copy = [...s];\n    shuffle(copy);\n    setS(copy);",
      "function shuffle(list) { [list[0], list[1]] = [list[1], list[0]]; }\n",
    ),
  },
  {
    name: "a helper that copies its parameter",
    code: stateful(
      "[1]",
      "setS(add(s));",
      "function add(list) { list = [...list]; list.push(1); return list; }\n",
    ),
  },
  {
    name: "events and elements",
    code: stateful(
      '""',
      'const form = document.createElement("form");\n    form.title = "a";\n    form.dataset.n = 1;\n    form.classList.add("b");\n    setS(form.title);',
    ),
  },
  {
    name: "a navigation in props",
    code: 'function Link({ history, router }) {\n  return <button onClick={() => { history.push("/a"); router.push("/b"); }}>x</button>;\n}\nexport default function App() { return <Link history={[]} router={[]} />; }\n',
  },
  {
    name: "searching parameters",
    code: stateful(
      '""',
      'const query = new URLSearchParams(s);\n    query.set("a", 1);\n    query.delete("b");\n    setS(String(query));',
    ),
  },
  {
    name: "a map outside of components",
    code: 'const cache = new Map();\nfunction load(key) { cache.set(key, 1); return cache.get(key); }\nexport default function App() { return <p>{load("a")}</p>; }\n',
  },
  {
    name: "an element and a drawing context in state",
    code: stateful(
      "null",
      's.style.color = "red";\n    s.scrollTop = 0;\n    s.fillStyle = "blue";\n    setS(null);',
    ),
  },
  {
    name: "a state of a class that is no component",
    code: "class Machine {\n  state = { list: [] };\n  run() { this.state.list.push(1); return this; }\n}\nexport default function App() { return <p>{new Machine().run().state.list.length}</p>; }\n",
  },
  {
    name: "props with defaults",
    code: 'function Child({ style = {}, items = [] }) {\n  const shown = [...items].sort();\n  const all = { ...style };\n  all.color = "red";\n  return <p style={all}>{shown}</p>;\n}\nexport default function App() { return <Child />; }\n',
  },
];
