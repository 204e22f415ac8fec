import { useState } from "react";

const firstTasks = [
  { id: 1, text: "Water the plants", done: true },
  { id: 2, text: "Write to a friend", done: false },
  { id: 3, text: "Plan the weekend", done: false },
];

export default function TodoList() {
  const [tasks, setTasks] = useState(firstTasks);
  const [draft, setDraft] = useState("");
  const left = tasks.filter((task) => !task.done).length;

  function addTask(event) {
    event.preventDefault();
    const text = draft.trim();
    if (text === "") return;
    setTasks((current) => [...current, { id: Date.now(), text, done: false }]);
    setDraft("");
  }

  function toggle(id) {
    setTasks((current) => current.map((task) => (task.id === id ? { ...task, done: !task.done } : task)));
  }

  function remove(id) {
    setTasks((current) => current.filter((task) => task.id !== id));
  }

  return (
    <main className="flex min-h-screen items-start justify-center bg-slate-100 p-6 dark:bg-slate-900">
      <section className="w-full max-w-md rounded-2xl bg-white p-6 shadow-lg ring-1 ring-black/5 dark:bg-slate-800 dark:ring-white/10">
        <header className="flex items-baseline justify-between">
          <h1 className="text-xl font-semibold text-slate-900 dark:text-white">To do</h1>
          <p aria-live="polite" className="text-sm text-slate-600 dark:text-slate-300">
            {left === 0 ? "All done" : `${left} left`}
          </p>
        </header>

        <form onSubmit={addTask} className="mt-4 flex gap-2">
          <label htmlFor="new-task" className="sr-only">
            New task
          </label>
          <input
            id="new-task"
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            placeholder="What needs doing?"
            className="min-w-0 flex-1 rounded-lg border border-slate-300 bg-white px-3 py-2 text-slate-900 placeholder:text-slate-500 focus:border-emerald-600 focus:outline-2 focus:outline-emerald-600 dark:border-slate-600 dark:bg-slate-900 dark:text-white"
          />
          <button
            type="submit"
            className="rounded-lg bg-emerald-700 px-4 py-2 font-medium text-white transition hover:bg-emerald-600 focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-emerald-700"
          >
            Add
          </button>
        </form>

        {tasks.length === 0 ? (
          <p className="py-10 text-center text-slate-600 dark:text-slate-300">Nothing to do. Enjoy it.</p>
        ) : (
          <ul className="mt-4 divide-y divide-slate-200 dark:divide-slate-700">
            {tasks.map((task) => (
              <li key={task.id} className="flex items-center gap-3 py-3">
                <label className="flex flex-1 items-center gap-3">
                  <input
                    type="checkbox"
                    checked={task.done}
                    onChange={() => toggle(task.id)}
                    className="size-5 accent-emerald-700"
                  />
                  <span
                    className={
                      task.done
                        ? "text-slate-500 line-through dark:text-slate-400"
                        : "text-slate-900 dark:text-white"
                    }
                  >
                    {task.text}
                  </span>
                </label>
                <button
                  type="button"
                  aria-label={`Remove ${task.text}`}
                  onClick={() => remove(task.id)}
                  className="rounded p-1 text-slate-500 transition hover:bg-slate-100 hover:text-rose-700 focus-visible:outline-2 focus-visible:outline-rose-700 dark:hover:bg-slate-700"
                >
                  ✕
                </button>
              </li>
            ))}
          </ul>
        )}
      </section>
    </main>
  );
}
