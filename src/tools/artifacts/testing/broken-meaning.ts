import type { ArtifactCase } from "./case.ts";

/** Components that parse but would not render or work. */
export const BROKEN_MEANING: readonly ArtifactCase[] = [
  {
    name: "hooks imported twice",
    code: `import React, { useState } from "react";
import { useState, useEffect } from "react";
export default function App() { const [a] = useState("twice"); useEffect(() => {}, []); return <p>{a}</p>; }`,
    shows: "twice",
  },
  {
    name: "hooks imported and taken out of React",
    code: `import React, { useState } from "react";
const { useState, useEffect } = React;
export default function App() { const [a] = useState("both ways"); useEffect(() => {}, []); return <p>{a}</p>; }`,
    shows: "both ways",
  },
  {
    name: "React imported twice",
    code: `import React from "react";
import React, { useState } from "react";
export default function App() { const [a] = useState("React twice"); return <p>{a}</p>; }`,
    shows: "React twice",
  },
  {
    name: "hooks without an import",
    code: `export default function App() {
  const [n, setN] = useState(1);
  const ref = useRef(null);
  useEffect(() => { setN(2); }, []);
  return <p ref={ref}>hooks {n}</p>;
}`,
    shows: "hooks 2",
  },
  {
    name: "React without an import",
    code: `export default function App() {
  const [n] = React.useState("React is there");
  return <React.Fragment><p>{n}</p></React.Fragment>;
}`,
    shows: "React is there",
  },
  {
    name: "charts without an import",
    code: `export default function App() {
  return (
    <div><p>Chart below</p>
      <LineChart width={200} height={100} data={[{ a: 1 }, { a: 2 }]}><XAxis /><YAxis /><Line dataKey="a" /></LineChart>
    </div>
  );
}`,
    shows: "Chart below",
  },
  {
    name: "motion and icons without an import",
    code: `export default function App() {
  return <AnimatePresence><motion.p animate={{ x: 0 }}>Moves <Heart size={16} /></motion.p></AnimatePresence>;
}`,
    shows: "Moves",
  },
  {
    name: "no export at all",
    code: `import { useState } from "react";
function Counter() { const [n] = useState(0); return <p>count {n}</p>; }`,
    shows: "count 0",
  },
  {
    name: "only a named export",
    code: `export const Dashboard = () => <p>named export</p>;`,
    shows: "named export",
  },
  {
    name: "an element as the default export",
    code: `function App() { return <p>an element</p>; }
export default <App />;`,
    shows: "an element",
  },
  {
    name: "a default export of something that is not there",
    code: `function TodoList() { return <p>the list itself</p>; }
export default TodoApp;`,
    shows: "the list itself",
  },
  {
    name: "two default exports",
    code: `export default function App() { return <p>exported twice</p>; }
export default App;`,
    shows: "exported twice",
  },
  {
    name: "CommonJS",
    code: `const React = require("react");
const { useState } = require("react");
function App() { const [a] = useState("required"); return <p>{a}</p>; }
module.exports = App;`,
    shows: "required",
  },
  {
    name: "a component that mounts itself",
    code: `import React from "react";
import ReactDOM from "react-dom/client";
function Game() { return <p>mounted itself</p>; }
const root = ReactDOM.createRoot(document.getElementById("app"));
root.render(<React.StrictMode><Game /></React.StrictMode>);`,
    shows: "mounted itself",
  },
  {
    name: "a component mounted in the old way",
    code: `import React from "react";
import { render } from "react-dom";
const Widget = () => <p>old mounting</p>;
render(<Widget />, document.getElementById("root"));`,
    shows: "old mounting",
  },
  {
    name: "a whole page with a script for Babel",
    code: `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <script src="https://unpkg.com/react@18/umd/react.development.js"></script>
  <script src="https://unpkg.com/@babel/standalone/babel.min.js"></script>
  <style>.title { color: rgb(1, 2, 3); }</style>
</head>
<body>
  <div id="root"></div>
  <script type="text/babel">
    const { useState } = React;
    function App() {
      const [tag] = useState("</body> stays text");
      return <h1 className="title">Page: {tag}</h1>;
    }
    ReactDOM.createRoot(document.getElementById("root")).render(<App />);
  </script>
</body>
</html>`,
    shows: "Page: </body> stays text",
  },
  {
    name: "a document type before a component",
    code: `<!DOCTYPE html>
import { useState } from "react";
export default function App() { const [a] = useState("behind a doctype"); return <p>{a}</p>; }`,
    shows: "behind a doctype",
  },
  {
    name: "a component that returns a whole document",
    code: `export default function Page() {
  return (
    <html lang="en">
      <head><title>Page</title><meta charSet="utf-8" /></head>
      <body className="p-4"><h1>whole document</h1></body>
    </html>
  );
}`,
    shows: "whole document",
  },
  {
    name: "types of TypeScript",
    code: `import React, { useState, FC, ReactNode } from "react";
interface Item { id: number; name?: string }
type Props = { items?: Item[]; children?: ReactNode };
const List: FC<Props> = ({ items = [{ id: 1, name: "typed" }] }: Props): JSX.Element => {
  const [chosen, setChosen] = useState<Item | null>(null);
  const first = items[0]!;
  const pick = (item: Item): void => setChosen(item as Item);
  return <button onClick={() => pick(first)}>{(chosen ?? first).name satisfies string | undefined}</button>;
};
export default List;`,
    shows: "typed",
  },
  {
    name: "an enum and a class with modifiers",
    code: `import React from "react";
enum Level { Low = "low", High = "high" }
class Store { private readonly level: Level; constructor(level: Level) { this.level = level; } show(): string { return this.level; } }
export default function App() { const store: Store = new Store(Level.High); return <p>level {store.show()}</p>; }`,
    shows: "level high",
  },
  {
    name: "a generic arrow function",
    code: `const first = <T>(list: T[]): T => list[0];
export default function App() { return <p>{first<string>(["generic"])}</p>; }`,
    shows: "generic",
  },
  {
    name: "an icon and a component of one name",
    code: `import { Calendar, Clock } from "lucide-react";
export default function Calendar() {
  return <div><Calendar className="h-4" /><Clock /><p>two calendars</p></div>;
}`,
    shows: "two calendars",
  },
  {
    name: "an icon that hides the language's own Map",
    code: `import { Map, Image } from "lucide-react";
export default function App() {
  const places = new Map([["home", 1]]);
  return <div><Map /><Image /><p>places {places.get("home")}</p></div>;
}`,
    shows: "places 1",
  },
  {
    name: "two libraries with one name",
    code: `import { PieChart, Pie, Tooltip } from "recharts";
import { PieChart, TrendingUp } from "lucide-react";
export default function App() {
  return <div><PieChart className="h-4 w-4" /><TrendingUp /><p>two pies</p>
    <PieChart width={100} height={100}><Pie data={[{ value: 1 }]} dataKey="value" /><Tooltip /></PieChart></div>;
}`,
    shows: "two pies",
  },
  {
    name: "icons that are not in the set",
    code: `import { Github, Twitter, SuperSparkle, Heart } from "lucide-react";
export default function App() { return <p><Github /><Twitter /><SuperSparkle /><Heart /> icons</p>; }`,
    shows: "icons",
  },
  {
    name: "icons of another library",
    code: `import { FaHeart, FaUserCircle } from "react-icons/fa";
import { HomeIcon } from "@heroicons/react/24/outline";
export default function App() { return <p><FaHeart /><FaUserCircle /><HomeIcon /> other icons</p>; }`,
    shows: "other icons",
  },
  {
    name: "a library under its other name",
    code: `import { motion } from "motion/react";
import { useState } from "https://esm.sh/react@18.2.0";
import { Bar, BarChart } from "https://cdn.skypack.dev/recharts";
export default function App() { const [a] = useState("aliases"); return <motion.div><p>{a}</p><BarChart width={50} height={50} data={[]}><Bar dataKey="x" /></BarChart></motion.div>; }`,
    shows: "aliases",
  },
  {
    name: "a name from the wrong library",
    code: `import { useState, AnimatePresence, ResponsiveContainer } from "react";
import { createRoot } from "react-dom";
export default function App() { const [a] = useState("moved"); return <AnimatePresence><p key="a">{a}{typeof createRoot}</p></AnimatePresence>; }`,
    shows: "movedfunction",
  },
  {
    name: "a default import of what has none",
    code: `import Recharts from "recharts";
import motion from "framer-motion";
import { React } from "react";
export default function App() { return <motion.div><p>{typeof Recharts.Line} {typeof React.useState}</p></motion.div>; }`,
    shows: "function",
  },
  {
    name: "style sheets and pictures of a project",
    code: `import "./App.css";
import styles from "./theme.module.css";
import logo from "./logo.svg";
export default function App() { return <p><img src={logo} alt="logo" width="20" /> project files</p>; }`,
    shows: "project files",
  },
  {
    name: "components of a project",
    code: `import { Card, CardContent, CardHeader, CardTitle } from "@/components/ui/card";
import { Button } from "@/components/ui/button";
import { cn } from "@/lib/utils";
export default function App() {
  return <Card className={cn("w-64", { "p-2": true })}><CardHeader><CardTitle>Card title</CardTitle></CardHeader><CardContent><Button variant="outline">Press</Button></CardContent></Card>;
}`,
    shows: "Card title",
  },
  {
    name: "small helpers of npm",
    code: `import clsx from "clsx";
import PropTypes from "prop-types";
import { v4 as uuidv4 } from "uuid";
function App({ label }) { return <p id={uuidv4()} className={clsx("a", { b: true })}>{label ?? "helpers"}</p>; }
App.propTypes = { label: PropTypes.string.isRequired };
export default App;`,
    shows: "helpers",
  },
  {
    name: "HTML's names of attributes",
    code: `export default function App() {
  return <div class="p-2"><label for="name" tabindex="0">Label</label><input id="name" maxlength="5" readonly value="x" />
    <svg viewBox="0 0 10 10" width="20"><path d="M1 1 L9 9" stroke="red" stroke-width="2" stroke-linecap="round" /></svg>attributes</div>;
}`,
    shows: "attributes",
  },
  {
    name: "a style that is a text",
    code: `export default function App() {
  return <p style="color: red; background-color: rgba(0, 0, 0, 0.1); --gap: 4px">text style</p>;
}`,
    shows: "text style",
  },
  {
    name: "a handler that is a text",
    code: `import { useState } from "react";
export default function App() {
  const [n, setN] = useState(0);
  return <div><p>clicks {n}</p><button onclick="setN(n + 1)">click</button></div>;
}`,
    shows: "clicks 1",
    press: ["click"],
  },
  {
    name: "a handler that is called at once",
    code: `import { useState } from "react";
export default function App() {
  const [n, setN] = useState(0);
  return <div><p>value {n}</p><button onClick={setN(n + 1)}>more</button></div>;
}`,
    shows: "value 2",
    press: ["more", "more"],
  },
  {
    name: "return alone on its line",
    code: `export default function App() {
  return
    <p>below return</p>;
}`,
    shows: "below return",
  },
  {
    name: "a list sorted in place",
    code: `import { useState } from "react";
export default function App() {
  const [items, setItems] = useState([3, 1, 2]);
  const sort = () => { items.sort(); setItems(items); };
  return <div><p>list {items.join("")}</p><button onClick={sort}>sort</button></div>;
}`,
    shows: "list 123",
    press: ["sort"],
  },
  {
    name: "a list reversed in place in the setter",
    code: `import { useState } from "react";
export default function App() {
  const [items, setItems] = useState([1, 2, 3]);
  return <div><p>list {items.join("")}</p><button onClick={() => setItems(items.reverse())}>turn</button></div>;
}`,
    shows: "list 321",
    press: ["turn"],
  },
  {
    name: "a list spliced in place",
    code: `import { useState } from "react";
export default function App() {
  const [items, setItems] = useState(["a", "b", "c"]);
  const remove = (index) => { items.splice(index, 1); setItems(items); };
  return <div><p>list {items.join("")}</p><button onClick={() => remove(1)}>cut</button></div>;
}`,
    shows: "list ac",
    press: ["cut"],
  },
  {
    name: "the value of splice as the new state",
    code: `import { useState } from "react";
export default function App() {
  const [items, setItems] = useState(["a", "b", "c"]);
  return <div><p>list {items.join("")}</p><button onClick={() => setItems(items.splice(0, 1))}>cut</button></div>;
}`,
    shows: "list bc",
    press: ["cut"],
  },
  {
    name: "the value of push as the new state",
    code: `import { useState } from "react";
export default function App() {
  const [items, setItems] = useState(["a"]);
  return <div><p>list {items.join("")}</p><button onClick={() => setItems((previous) => previous.push("b"))}>add</button></div>;
}`,
    shows: "list ab",
    press: ["add"],
  },
  {
    name: "an element of state assigned",
    code: `import { useState } from "react";
export default function Board() {
  const [cells, setCells] = useState(Array(3).fill("-"));
  const mark = (index) => { cells[index] = "X"; setCells(cells); };
  return <div><p>board {cells.join("")}</p><button onClick={() => mark(1)}>mark</button></div>;
}`,
    shows: "board -X-",
    press: ["mark"],
  },
  {
    name: "an element of state assigned in an updater",
    code: `import { useState } from "react";
export default function App() {
  const [todos, setTodos] = useState([{ text: "tea", done: false }]);
  const toggle = (index) => setTodos((previous) => { previous[index].done = !previous[index].done; return previous; });
  return <div><p>tea is {todos[0].done ? "done" : "open"}</p><button onClick={() => toggle(0)}>toggle</button></div>;
}`,
    shows: "tea is done",
    press: ["toggle"],
  },
  {
    name: "a property of state assigned",
    code: `import { useState } from "react";
export default function App() {
  const [user, setUser] = useState({ name: "Ada" });
  const rename = () => { user.name = "Grace"; setUser(user); };
  return <div><p>user {user.name}</p><button onClick={rename}>rename</button></div>;
}`,
    shows: "user Grace",
    press: ["rename"],
  },
  {
    name: "state pushed to",
    code: `import { useState } from "react";
export default function App() {
  const [log, setLog] = useState([]);
  function add() {
    if (log.length < 5) {
      log.push("x");
      setLog(log);
    }
  }
  return <div><p>log {log.length}</p><button onClick={add}>add</button></div>;
}`,
    shows: "log 2",
    press: ["add", "add"],
  },
  {
    name: "storage of the browser",
    code: `import { useState } from "react";
export default function App() {
  const [name, setName] = useState(() => localStorage.getItem("name") || "nobody");
  const save = () => { localStorage.setItem("name", "stored"); setName(localStorage.getItem("name")); sessionStorage.clear(); };
  return <div><p>name {name}</p><button onClick={save}>save</button></div>;
}`,
    shows: "name stored",
    press: ["save"],
  },
  {
    name: "settings of a build",
    code: `export default function App() {
  const url = process.env.REACT_APP_URL || "no settings";
  return <p>{url}</p>;
}`,
    shows: "no settings",
  },
  {
    name: "a component that begins small",
    code: `const todoItem = ({ text }) => <li>{text}</li>;
export default function App() { return <ul><todoItem text="small letter" /></ul>; }`,
    shows: "small letter",
  },
  {
    name: "libraries as globals of a page",
    code: `const { useState } = React;
const { LineChart, Line } = Recharts;
function App() { const [a] = useState("globals"); return <div><p>{a}</p><LineChart width={80} height={40} data={[]}><Line dataKey="a" /></LineChart></div>; }`,
    shows: "globals",
  },
  {
    name: "an anonymous function alone",
    code: `() => {
  const [n] = useState("anonymous");
  return <p>{n}</p>;
}`,
    shows: "anonymous",
  },
  {
    name: "a directive of a framework",
    code: `"use client";
import Image from "next/image";
import Link from "next/link";
export default function Page() { return <main><Link href="/x">framework link</Link><Image src="data:," alt="" width={1} height={1} /></main>; }`,
    shows: "framework link",
  },
];
