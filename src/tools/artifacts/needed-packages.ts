// Only the worker process loads these optional packages. Code that makes or shows artifacts imports this file, and so still learns
// that one is missing. Loading them takes some 45 ms, which a start without them saves.
for (const name of ["magic-string", "oxc-parser", "oxc-transform", "tailwindcss"]) import.meta.resolve(name);
