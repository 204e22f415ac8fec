export default {
  name: "greet",
  description: "Greets somebody.",
  effect: "none",
  retry: "pure",
  task: "never",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  run: ({ name }) => `Hello, ${name}!`,
};
