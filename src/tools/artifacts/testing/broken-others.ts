import type { ArtifactCase } from "./case.ts";

const FENCE = "```";

/** Pages, drawings, diagrams and documents with typical mistakes of models. */
export const BROKEN_OTHERS: readonly ArtifactCase[] = [
  {
    name: "a page in a fence",
    type: "html",
    code: `${FENCE}html\n<!DOCTYPE html><html><body><h1>fenced page</h1></body></html>\n${FENCE}`,
    shows: "fenced page",
  },
  {
    name: "a page with words around it",
    type: "html",
    code: `Here is the page:\n\n<!DOCTYPE html>\n<html><body><p>worded page</p></body></html>\n\nOpen it in a browser!`,
    shows: "worded page",
  },
  {
    name: "a page of entities",
    type: "html",
    code: `&lt;div&gt;&lt;h1&gt;entity page&lt;/h1&gt;&lt;/div&gt;`,
    shows: "entity page",
  },
  {
    name: "a page with open elements",
    type: "html",
    code: `<div><ul><li>one<li>two</ul><p><b>open page`,
    shows: "open page",
  },
  {
    name: "a page whose script has a chain cut in two",
    type: "html",
    code: `<p id="out"></p><script>
const list = [3, 1];
const text = list;
  .map((n) => n * 2)
  .join(",");
document.getElementById("out").textContent = "script " + text;
</script>`,
    shows: "script 6,2",
  },
  {
    name: "a page with handlers in attributes",
    type: "html",
    code: `<button onclick="document.getElementById('o').textContent = 'pressed it'">go</button><p id="o">not yet</p>`,
    shows: "pressed it",
    press: ["go"],
  },
  {
    name: "a page with Tailwind from elsewhere",
    type: "html",
    code: `<!doctype html><html><head><script src="https://cdn.tailwindcss.com"></script></head><body class="p-4"><h1 class="text-xl font-bold">tailwind page</h1></body></html>`,
    shows: "tailwind page",
  },
  {
    name: "a page that keeps things in storage",
    type: "html",
    code: `<p id="o"></p><script>localStorage.count = Number(localStorage.count || 0) + 1; document.getElementById("o").textContent = "count " + localStorage.count;</script>`,
    shows: "count 1",
  },
  {
    name: "a page in a JSON object",
    type: "html",
    code: JSON.stringify({ code: "<main><h2>page in JSON</h2></main>" }),
    shows: "page in JSON",
  },
  {
    name: "a drawing without its language",
    type: "svg",
    code: `<svg viewBox="0 0 100 100"><circle cx="50" cy="50" r="40" fill="red"/></svg>`,
    shows: "",
  },
  {
    name: "a drawing with open elements",
    type: "svg",
    code: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><g><rect width="50" height="50" fill="blue"><text x="10" y="20">hi</text></g></svg>`,
    shows: "",
  },
  {
    name: "a drawing with a bare ampersand",
    type: "svg",
    code: `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="40"><text x="5" y="20">Salt & Pepper < 3</text></svg>`,
    shows: "",
  },
  {
    name: "a drawing in React's spelling",
    type: "svg",
    code: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" className="icon"><path d="M2 2L18 18" strokeWidth={2} stroke="black" strokeLinecap="round" /></svg>`,
    shows: "",
  },
  {
    name: "a drawing in a fence, with words",
    type: "svg",
    code: `Here you go:\n${FENCE}svg\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="4" cx="4" cy="4"/></svg>\n${FENCE}\nEnjoy!`,
    shows: "",
  },
  {
    name: "a drawing with scripts",
    type: "svg",
    code: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="alert(1)"><script>alert(2)</script><circle r="4" cx="4" cy="4"/></svg>`,
    shows: "",
  },
  {
    name: "a drawing with wrong cases and no quotes",
    type: "svg",
    code: `<svg xmlns="http://www.w3.org/2000/svg" viewbox="0 0 9 9"><defs><lineargradient id=g><stop offset=0 stop-color=red></stop></lineargradient></defs><rect width=9 height=9 fill="url(#g)"/></svg>`,
    shows: "",
  },
  {
    name: "shapes without a drawing",
    type: "svg",
    code: `<circle cx="50" cy="50" r="40" fill="green" />\n<rect x="5" y="5" width="20" height="20" />`,
    shows: "",
  },
  {
    name: "a drawing with an attribute twice and no end",
    type: "svg",
    code: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50 50"><rect width="10" width="20" height="10"/><circle cx="5" cy="5" r="3"`,
    shows: "",
  },
  {
    name: "a diagram in a fence",
    type: "mermaid",
    code: `${FENCE}mermaid\ngraph TD\n  A[Fenced] --> B\n${FENCE}`,
    shows: "Fenced",
  },
  {
    name: "labels with parentheses",
    type: "mermaid",
    code: `graph TD\n  A[Start (here)] --> B{Is it (really) so?}\n  B -->|yes (sure)| C(Done [ok])`,
    shows: "Start (here)",
  },
  {
    name: "a node called end",
    type: "mermaid",
    code: `flowchart LR\n  start[Begin] --> end`,
    shows: "Begin",
  },
  { name: "no kind of diagram", type: "mermaid", code: `A[Kindless] --> B\nB --> C`, shows: "Kindless" },
  {
    name: "a kind in the wrong case",
    type: "mermaid",
    code: `sequencediagram\n  Alice->>Bob: Lower case`,
    shows: "Lower case",
  },
  {
    name: "arrows of typography",
    type: "mermaid",
    code: `flowchart TD\n  A[Arrows] → B\n  B —> C\n  C -> D`,
    shows: "Arrows",
  },
  {
    name: "a subgraph that is never closed",
    type: "mermaid",
    code: `graph TD\n  subgraph One\n    A[Inside] --> B`,
    shows: "Inside",
  },
  {
    name: "a pie without quotes",
    type: "mermaid",
    code: `pie title Fruit\n  Apples : 40%\n  Pears : 60%`,
    shows: "Fruit",
  },
  {
    name: "comments of a program",
    type: "mermaid",
    code: `graph TD\n  // the start\n  A[Commented] --> B`,
    shows: "Commented",
  },
  {
    name: "labels with quotes in them",
    type: "mermaid",
    code: `graph LR\n  A[Say "hello" twice] --> B[Call f("x")]`,
    shows: "twice",
  },
  {
    name: "a class that is never closed",
    type: "mermaid",
    code: `classDiagram\n  class Animal {\n    +String name\n    +eat()`,
    shows: "Animal",
  },
  {
    name: "words around a diagram",
    type: "mermaid",
    code: `Here is the flow:\n\ngraph TD\n  A[Worded] --> B`,
    shows: "Worded",
  },
  {
    name: "a document in a fence",
    type: "markdown",
    code: `${FENCE}markdown\n# Fenced document\n\n${FENCE}js\nlet a = 1;\n${FENCE}\n\n- item\n${FENCE}`,
    shows: "Fenced document",
  },
  {
    name: "a code block that is never closed",
    type: "markdown",
    code: `# Open block\n\n${FENCE}python\nprint(1)\n`,
    shows: "Open block",
  },
  {
    name: "a script in a document",
    type: "markdown",
    code: `# Scripted\n\n<script>document.title = "no"</script>\n\ntext`,
    shows: "Scripted",
  },
  {
    name: "source code in a fence",
    type: "code",
    code: `${FENCE}python\nprint("source")\n${FENCE}`,
    shows: 'print("source")',
  },
];
