import { useState } from "react";

export default function Counter() {
  const [count, setCount] = useState(0);

  return (
    <main className="flex min-h-screen items-center justify-center bg-gradient-to-br from-indigo-50 to-sky-100 p-6 dark:from-slate-900 dark:to-indigo-950">
      <section
        aria-labelledby="counter-title"
        className="w-full max-w-sm rounded-3xl bg-white p-8 text-center shadow-xl ring-1 ring-black/5 dark:bg-slate-800 dark:ring-white/10"
      >
        <h1 id="counter-title" className="text-sm font-medium text-slate-600 dark:text-slate-300">
          Counter
        </h1>
        <output
          aria-live="polite"
          className="my-6 block text-7xl font-semibold tabular-nums tracking-tight text-slate-900 dark:text-white"
        >
          {count}
        </output>
        <div className="flex items-center justify-center gap-4">
          <StepButton label="Decrease" onClick={() => setCount((value) => value - 1)}>
            −
          </StepButton>
          <button
            type="button"
            onClick={() => setCount(0)}
            disabled={count === 0}
            className="rounded-full px-4 py-2 text-sm font-medium text-slate-600 transition hover:bg-slate-100 focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-indigo-600 disabled:opacity-50 dark:text-slate-300 dark:hover:bg-slate-700"
          >
            Reset
          </button>
          <StepButton label="Increase" onClick={() => setCount((value) => value + 1)}>
            +
          </StepButton>
        </div>
      </section>
    </main>
  );
}

function StepButton({ label, onClick, children }) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="grid size-14 place-items-center rounded-full bg-indigo-600 text-2xl text-white shadow-md transition hover:bg-indigo-500 focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-indigo-600 active:scale-95"
    >
      {children}
    </button>
  );
}
