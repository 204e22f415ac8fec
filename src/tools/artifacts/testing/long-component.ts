/** A component of about 300 lines with a few common mistakes. */
export function longComponent(): string {
  const panels = Array.from({ length: 20 }, (_, index) => panel(index)).join("\n");
  const uses = Array.from({ length: 20 }, (_, index) => `      <Panel${index} />`).join("\n");
  return `import React, { useState } from "react";
import { useState, useEffect } from "react";
import { Heart, Calendar } from "lucide-react";
const * as Charts from "recharts";

${panels}

const Dashboard = () => {
  const [open, setOpen] = useState<boolean>(true);
  useEffect(() => { setOpen(true); }, []);
  return (
    <main className="grid gap-4 p-4" style="color: black">
      <Heart /><Calendar />
${uses}
      <Charts.LineChart width={100} height={50} data={[]} />
    </main>
  );
};
`;
}

function panel(index: number): string {
  return `function Panel${index}({ title = "Panel ${index}" }: { title?: string }) {
  const [items, setItems] = useState(["b", "a"]);
  const sort = () => {
    items.sort();
    setItems(items);
  };
  return (
    <section class="rounded-lg border border-slate-200 p-4 shadow-sm hover:shadow-md">
      <h2 className="text-lg font-semibold text-slate-900">{title}</h2>
      <ul className="mt-2 list-disc pl-4">
        {items.map((item) => <li key={item}>{item}<br></li>)}
      </ul>
      <button className="mt-2 rounded bg-sky-600 px-3 py-1 text-white" onClick={sort}>sort</button>
    </section>
  );
}
`;
}
