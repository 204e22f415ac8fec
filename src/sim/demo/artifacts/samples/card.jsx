import { useState } from "react";

const title = "TITLE";

export default function Card() {
  const [likes, setLikes] = useState(0);

  return (
    <main className="flex min-h-screen items-center justify-center bg-gradient-to-br from-rose-50 to-amber-100 p-6 dark:from-slate-900 dark:to-rose-950">
      <article className="w-full max-w-md overflow-hidden rounded-3xl bg-white shadow-xl ring-1 ring-black/5 dark:bg-slate-800 dark:ring-white/10">
        <div aria-hidden="true" className="h-32 bg-gradient-to-r from-rose-400 to-amber-300" />
        <div className="p-8">
          <h1 className="text-2xl font-semibold text-slate-900 dark:text-white">{title}</h1>
          <p className="mt-2 text-slate-600 dark:text-slate-300">
            A starting point. Connect a model of your choice, and it will write the real thing.
          </p>
          <button
            type="button"
            onClick={() => setLikes((count) => count + 1)}
            className="mt-6 rounded-full bg-rose-700 px-5 py-2 font-medium text-white transition hover:bg-rose-600 focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-rose-700 active:scale-95"
          >
            ♥ <span aria-live="polite">{likes === 0 ? "Like it" : likes}</span>
          </button>
        </div>
      </article>
    </main>
  );
}
