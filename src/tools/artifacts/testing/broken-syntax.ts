import type { ArtifactCase } from "./case.ts";

const FENCE = "```";

/** Components with syntax errors. */
export const BROKEN_SYNTAX: readonly ArtifactCase[] = [
  {
    name: "a namespace import that begins with const",
    code: `import React from "react";
const * as Charts from "recharts";

export default function Report() {
  const data = [{ name: "a", value: 3 }, { name: "b", value: 5 }];
  return (
    <div>
      <h1>Report</h1>
      <Charts.BarChart width={200} height={100} data={data}>
        <Charts.Bar dataKey="value" />
      </Charts.BarChart>
    </div>
  );
}`,
    shows: "Report",
  },
  {
    name: "a named import that begins with const",
    code: `const { useState, useEffect } from "react";
export default function Timer() {
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return <p>{ready ? "Timer is ready" : "waiting"}</p>;
}`,
    shows: "Timer is ready",
  },
  {
    name: "a default and named import that begins with let",
    code: `let React, { useState } from 'react';
function App() {
  const [n] = useState(4);
  return <b>four: {n}</b>;
}
export default App;`,
    shows: "four: 4",
  },
  {
    name: "a module's name without quotes",
    code: `import React from React;
import { useState } from react;
export default function App() {
  const [word] = useState("unquoted");
  return <p>{word}</p>;
}`,
    shows: "unquoted",
  },
  {
    name: "a module's name without its closing quote",
    code: `import React, { useState } from 'react;
import { Heart } from 'lucide-react';
export default () => <p><Heart /> open quote</p>;`,
    shows: "open quote",
  },
  {
    name: "an import without from",
    code: `import { useState } "react";
export default function App() { const [x] = useState("no from"); return <p>{x}</p>; }`,
    shows: "no from",
  },
  {
    name: "imported names without braces",
    code: `import useState, useMemo from "react";
export default function App() {
  const [x] = useState(2);
  const twice = useMemo(() => x * 2, [x]);
  return <p>twice is {twice}</p>;
}`,
    shows: "twice is 4",
  },
  {
    name: "two commas in an import",
    code: `import { useState, , useRef } from "react";
export default function App() { const [x] = useState("two commas"); useRef(null); return <p>{x}</p>; }`,
    shows: "two commas",
  },
  {
    name: "a Markdown fence around everything",
    code: `${FENCE}jsx
export default function App() { return <p>in a fence</p>; }
${FENCE}`,
    shows: "in a fence",
  },
  {
    name: "words, a fence, and more words",
    code: `Here's your component! It uses hooks.

${FENCE}tsx
import { useState } from "react";
export default function App() { const [a] = useState("between words"); return <p>{a}</p>; }
${FENCE}

This component shows a text. Let me know if you need changes!`,
    shows: "between words",
  },
  {
    name: "a fence that is never closed",
    code: `${FENCE}javascript
export default function App() { return <p>never closed</p>; }`,
    shows: "never closed",
  },
  {
    name: "only the closing fence",
    code: `export default function App() { return <p>closing fence</p>; }
${FENCE}`,
    shows: "closing fence",
  },
  {
    name: "words before the code",
    code: `Sure, here is the component you asked for:

import { useState } from "react";
export default function App() { const [a] = useState("words before"); return <p>{a}</p>; }`,
    shows: "words before",
  },
  {
    name: "words after the code",
    code: `export default function App() { return <p>words after</p>; }

This component renders a paragraph and
- is small
- is simple`,
    shows: "words after",
  },
  {
    name: "a chain of methods behind a semicolon",
    code: `const numbers = [5, 2, 8, 1];
export default function App() {
  const result = numbers;
    .filter((n) => n > 1)
    .map((n) => n * 10);
  return <p>chain: {result.join(",")}</p>;
}`,
    shows: "chain: 50,20,80",
  },
  {
    name: "a chain of methods behind a semicolon and a comment",
    code: `const words = ["b", "a"];
export default function App() {
  const sorted = [...words];
    // in order
    .sort()
    .join("-");
  return <p>sorted {sorted}</p>;
}`,
    shows: "sorted a-b",
  },
  {
    name: "a chain of methods that belongs to nothing",
    code: `function App() {
  return <p>orphan gone</p>;
}
  .filter(Boolean)
  .map((x) => x.id);

export default App;`,
    shows: "orphan gone",
  },
  {
    name: "code that stops in the middle of the markup",
    code: `import { useState } from "react";
export default function App() {
  const [n] = useState(1);
  return (
    <main className="p-4">
      <h1>Cut off</h1>
      <ul>
        <li>first {n}</li>
        <li>second</li>`,
    shows: "Cut off",
  },
  {
    name: "code that stops in the middle of a tag",
    code: `export default function App() {
  return (
    <section>
      <h2>Half a tag</h2>
      <button className="rounded bg-blue-500 px-`,
    shows: "Half a tag",
  },
  {
    name: "code that stops in the middle of a handler",
    code: `import { useState } from "react";
export default function App() {
  const [n, setN] = useState(0);
  return (
    <div>
      <p>Stopped early</p>
      <button onClick={() => {
        setN(n + 1);`,
    shows: "Stopped early",
  },
  {
    name: "a brace too many at the end",
    code: `export default function App() {
  return <p>one brace too many</p>;
}
}`,
    shows: "one brace too many",
  },
  {
    name: "brackets too many at the end",
    code: `const App = () => {
  return <p>brackets too many</p>;
};
});
export default App;`,
    shows: "brackets too many",
  },
  {
    name: "a missing closing parenthesis of return",
    code: `export default function App() {
  return (
    <div>
      <p>no parenthesis</p>
    </div>
}`,
    shows: "no parenthesis",
  },
  {
    name: "a missing parenthesis of map",
    code: `const items = ["one", "two"];
export default function App() {
  return (
    <ul>
      {items.map((item) => (
        <li key={item}>{item}</li>
      )}
      <li>map is closed</li>
    </ul>
  );
}`,
    shows: "map is closed",
  },
  {
    name: "an HTML comment between elements",
    code: `export default function App() {
  return (
    <div>
      <!-- the title -->
      <h1>HTML comment</h1>
    </div>
  );
}`,
    shows: "HTML comment",
  },
  {
    name: "a comment of JSX that is closed wrongly",
    code: `export default function App() {
  return (
    <div>
      {/* the title *}
      <h1>Wrong comment</h1>
    </div>
  );
}`,
    shows: "Wrong comment",
  },
  {
    name: "elements that HTML never closes",
    code: `export default function App() {
  return (
    <form>
      <label>Name<br><input type="text" placeholder="name"></label>
      <hr>
      <p>Never closed in HTML</p>
    </form>
  );
}`,
    shows: "Never closed in HTML",
  },
  {
    name: "an element that is never closed",
    code: `export default function App() {
  return (
    <div>
      <span>open <b>bold</b>
      <p>Span was open</p>
    </div>
  );
}`,
    shows: "Span was open",
  },
  {
    name: "an element closed by another name",
    code: `export default function App() {
  return (
    <div>
      <h1>Heading one</h2>
      <p>below it</p>
    </div>
  );
}`,
    shows: "below it",
  },
  {
    name: "elements side by side in parentheses",
    code: `export default function App() {
  return (
    <h1>Side</h1>
    <p>by side</p>
  );
}`,
    shows: "by side",
  },
  {
    name: "elements side by side in an arrow",
    code: `const App = () => (
  <header>Top</header>
  <main>Middle part</main>
  <footer>Bottom</footer>
);
export default App;`,
    shows: "Middle part",
  },
  {
    name: "nothing but elements side by side",
    code: `<h1>Bare</h1>
<p>bare elements</p>`,
    shows: "bare elements",
  },
  {
    name: "a bare greater-than sign in a text",
    code: `export default function App() {
  return <p>File -> Save, then 3 > 2</p>;
}`,
    shows: "File -> Save, then 3 > 2",
  },
  {
    name: "a bare brace in a text",
    code: `export default function App() {
  return <p>a closing } brace</p>;
}`,
    shows: "a closing } brace",
  },
  {
    name: "a variable called class",
    code: `export default function App() {
  const class = "text-red-500";
  return <p className={class}>class is a name</p>;
}`,
    shows: "class is a name",
  },
  {
    name: "a function called delete",
    code: `import { useState } from "react";
export default function App() {
  const [items, setItems] = useState(["a", "b"]);
  function delete(item) { setItems(items.filter((one) => one !== item)); }
  return <div><p>left: {items.join(",")}</p><button onClick={() => delete("a")}>remove</button></div>;
}`,
    shows: "left: b",
    press: ["remove"],
  },
  {
    name: "variables called new and default",
    code: `export default function App() {
  const new = 5;
  const default = 7;
  return <p>sum {new + default}</p>;
}`,
    shows: "sum 12",
  },
  {
    name: "a parameter called package",
    code: `const label = (package) => "box " + package;
export default function App() { return <p>{label(3)}</p>; }`,
    shows: "box 3",
  },
  {
    name: "typographic quotes",
    code: `export default function App() {
  const title = “curly quotes”;
  return <p className=“font-bold”>{title}</p>;
}`,
    shows: "curly quotes",
  },
  {
    name: "an object without a comma",
    code: `const settings = { size: 4 color: "red", name: "no comma" };
export default function App() { return <p>{settings.name}</p>; }`,
    shows: "no comma",
  },
  {
    name: "an object with semicolons",
    code: `const settings = { size: 4; color: "red"; name: "semicolons" };
export default function App() { return <p>{settings.name}</p>; }`,
    shows: "semicolons",
  },
  {
    name: "a list without a comma",
    code: `const rows = [
  { id: 1, name: "first row" }
  { id: 2, name: "second row" },
];
export default function App() { return <ul>{rows.map((row) => <li key={row.id}>{row.name}</li>)}</ul>; }`,
    shows: "second row",
  },
  {
    name: "a default export that declares a constant",
    code: `export default const App = () => <p>exported constant</p>;`,
    shows: "exported constant",
  },
  {
    name: "a function with an arrow",
    code: `function App() => {
  return <p>function arrow</p>;
}
export default App;`,
    shows: "function arrow",
  },
  {
    name: "an arrow function without its arrow",
    code: `const App = () {
  return <p>arrowless</p>;
};
export default App;`,
    shows: "arrowless",
  },
  {
    name: "state without an equals sign",
    code: `import { useState } from "react";
export default function App() {
  const [word, setWord] useState("no equals");
  return <p>{word}</p>;
}`,
    shows: "no equals",
  },
  {
    name: "a style with one pair of braces",
    code: `export default function App() {
  return <p style={color: "red", fontSize: 20}>one pair of braces</p>;
}`,
    shows: "one pair of braces",
  },
  {
    name: "a style with keys of CSS",
    code: `export default function App() {
  return <p style={{ background-color: "yellow", font-size: "20px" }}>keys of CSS</p>;
}`,
    shows: "keys of CSS",
  },
  {
    name: "a style element with bare rules",
    code: `export default function App() {
  return (
    <div>
      <style>
        .title { color: red; }
        .title:hover { color: blue; }
      </style>
      <h1 className="title">bare rules</h1>
    </div>
  );
}`,
    shows: "bare rules",
  },
  {
    name: "an expression without its closing brace",
    code: `export default function App() {
  const name = "Ada";
  return <p>Hello {name</p>;
}`,
    shows: "Hello Ada",
  },
  {
    name: "a handler without its closing brace",
    code: `import { useState } from "react";
export default function App() {
  const [n, setN] = useState(0);
  return <button onClick={() => setN(n + 1)>pressed {n}</button>;
}`,
    shows: "pressed 0",
  },
  {
    name: "HTML entities in the code",
    code: `import { useState } from &quot;react&quot;;
export default function App() {
  const [n] = useState(3);
  return &lt;p&gt;{n &gt; 2 &amp;&amp; &quot;entities&quot;}&lt;/p&gt;;
}`,
    shows: "entities",
  },
  {
    name: "an entity in an arrow",
    code: `const items = [1, 2];
export default function App() {
  return <p>items {items.map((item) =&gt; item * 2).join("+")}</p>;
}`,
    shows: "items 2+4",
  },
  {
    name: "line ends that are written out",
    code: `import { useState } from 'react';\\nexport default function App() {\\n  const [a] = useState('written out');\\n  return <p>{a}</p>;\\n}`,
    shows: "written out",
  },
  {
    name: "line numbers in front",
    code: `1 | import { useState } from "react";
2 | export default function App() {
3 |   const [a] = useState("numbered");
4 |   return <p>{a}</p>;
5 | }`,
    shows: "numbered",
  },
  {
    name: "an element of its own around the code",
    code: `<artifact type="react" title="Thing">
export default function App() { return <p>in an element</p>; }
</artifact>`,
    shows: "in an element",
  },
  {
    name: "code in a JSON object",
    code: JSON.stringify({ code: "export default function App() { return <p>in JSON</p>; }" }),
    shows: "in JSON",
  },
  {
    name: "comments as in another language",
    code: `# A small component
export default function App() {
  # the text
  return <p>hash comments</p>;
}`,
    shows: "hash comments",
  },
  {
    name: "a line that stands for more code",
    code: `const rows = ["x"];
...
export default function App() { return <p>rest left out {rows.length}</p>; }`,
    shows: "rest left out 1",
  },
  {
    name: "a text without its closing quote",
    code: `export default function App() {
  const label = "open text;
  return <p>label: {label}</p>;
}`,
    shows: "label: open text",
  },
  {
    name: "a closing tag of what has none",
    code: `export default function App() {
  return <p>line one<br></br>line two<img src="data:," alt="dot"></img></p>;
}`,
    shows: "line two",
  },
  {
    name: "a zero-width space in the code",
    code: `export default function App() {
  const a\u200b = "zero width";
  return <p>{a}</p>;
}`,
    shows: "zero width",
  },
  {
    name: "several mistakes at once",
    code: `${FENCE}jsx
const * as Icons from lucide-react
import React, { useState } from React

export default const Board = () => {
  const [items, setItems] useState(["one", "two"]);
  return (
    <h1>Many mistakes</h1>
    <ul>
      <!-- all items -->
      {items.map((item) => <li key={item}>{item}<br></li>)}
    </ul>
  )
}
${FENCE}`,
    shows: "Many mistakes",
  },
];
